/** Verifies AWS Signature Version 4 of requests to S3, as the documents of AWS describe it. Shares no code with `src/`. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface S3Credentials {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
  readonly region: string;
}

/** Returns what is wrong with the signature of a request, or null. */
export function problemOfSignature(request: IncomingMessage, body: Buffer, credentials: S3Credentials): string | null {
  const headers = request.headers as Record<string, string>;
  const form = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const match = form.exec(headers.authorization ?? '');
  if (!match) return 'AccessDenied';
  const [, credential, signedHeaders, signature] = match;
  const [id, ...scope] = credential.split('/');
  if (id !== credentials.id) return 'InvalidAccessKeyId';

  const date = headers['x-amz-date'] ?? '';
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - time) < 15 * 60_000)) return 'RequestTimeTooSkewed';
  const expectedScope = [date.slice(0, 8), credentials.region, 's3', 'aws4_request'];
  if (scope.join('/') !== expectedScope.join('/')) return 'AuthorizationHeaderMalformed';
  if (headers['x-amz-security-token'] !== credentials.token) return 'InvalidToken';

  const names = signedHeaders.split(';');
  const required = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (required.some((name) => !names.includes(name))) return 'AccessDenied';
  const content = headers['x-amz-content-sha256'] ?? '';
  if (content !== 'UNSIGNED-PAYLOAD' && content !== hexOf(body)) return 'XAmzContentSHA256Mismatch';

  const [path, query = ''] = request.url!.split('?');
  const canonicalRequest = [
    request.method,
    path.split('/').map(encodeAgain).join('/'),
    canonicalQuery(query),
    ...names.map((name) => `${name}:${headers[name].trim().replace(/ +/g, ' ')}`),
    '',
    signedHeaders,
    content,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, expectedScope.join('/'), hexOf(canonicalRequest)].join('\n');
  let key: Buffer = Buffer.from(`AWS4${credentials.secret}`);
  for (const part of expectedScope) key = createHmac('sha256', key).update(part).digest();
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return expected === signature ? null : 'SignatureDoesNotMatch';
}

function hexOf(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const encoded = pairs.map((pair) => {
    const [name, value = ''] = pair.split('=');
    return `${encodeAgain(name)}=${encodeAgain(value)}`;
  });
  return encoded.sort().join('&');
}

/** Everything but letters, digits, "-", ".", "_" and "~" is encoded. */
function encodeAgain(text: string): string {
  const bytes = [...Buffer.from(decodeURIComponent(text))];
  return bytes
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
