import { createCipheriv, hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import type { Reply } from '../query/reply/reply.ts';
import { isPooled, releaseBuffer } from '../query/reply/reply-memory.ts';
import type { Codings } from './codings.ts';
import { endBatched } from './write-batching.ts';

/** The request headers that every reply depends on. */
const vary = 'Authorization, Accept-Encoding, Strapi-Response-Format, X-Lectern-At-Least, X-Lectern-Role';

const lengthName = 'Content-Length';

/** Header names and values, alternating. */
export type HeaderList = readonly string[];

/** The static headers of content that is mounted in another app, which sets its own headers on the response. */
export const noHeaders: HeaderList = [];

/**
 * The headers of a reply in the order they are sent, with one list of static headers. Replies with the same header object
 * share it.
 */
interface OrderedHeaders {
  /** The static headers, which `common` includes. */
  readonly staticHeaders: HeaderList;
  /** Headers of the body, except its length. */
  readonly entity: HeaderList;
  /** All other headers except the ETag. A 304 has them too. */
  readonly common: HeaderList;
  /** All headers, with placeholders for the length after `entity` and for the ETag at the end. */
  readonly all: HeaderList;
  /** The same headers with the static headers for another origin. There are as many as configured origins. */
  readonly other: OrderedHeaders | undefined;
}

const orderedByHeaders = new WeakMap<Reply['headers'], OrderedHeaders>();

export interface SendOptions {
  /** Compresses bodies. Default: none is compressed. */
  readonly codings?: Codings | null;
  /**
   * Called before a body is compressed or written, and not for a HEAD or a 304. Returns the reply to send instead if
   * there is no memory for the body, or null.
   */
  readonly refuseBody?: (body: Buffer, response: ServerResponse) => Reply | null;
}

/**
 * Sends a reply with its own headers and the static headers, or a 304 if the client's copy is fresh. Compresses the
 * body if the client accepts one of the `codings` and the compression queue has room. Returns the status. For HEAD
 * requests, Node omits the body.
 */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  staticHeaders: HeaderList,
  { codings, refuseBody }: SendOptions = {},
): number | Promise<number> {
  const { status, body } = reply;
  const headers = orderedHeaders(reply, staticHeaders);
  const { entity, common } = headers;
  if (status === 204) return write(response, status, common, staticHeaders, body);
  // only a 200 has an ETag
  if (status !== 200) {
    const refused = refuse(request, response, body, staticHeaders, refuseBody);
    if (refused !== null) return refused;
    return write(response, status, [...entity, lengthName, String(body.length), ...common], staticHeaders, body);
  }

  const coding = codings?.choose(request.headers['accept-encoding'] as string | undefined, body.length) ?? null;
  const etag = etagOf(reply, coding);
  if (isFresh(request, etag)) return writeNotModified(response, reply, headers, etag);
  const refused = refuse(request, response, body, staticHeaders, refuseBody);
  if (refused !== null) return refused;
  if (!coding) return writeIdentity(response, reply, headers, etag);

  const writeEncoded = (encoded: Buffer | null) => {
    if (!encoded) {
      const identityEtag = etagOf(reply, null);
      if (isFresh(request, identityEtag)) return writeNotModified(response, reply, headers, identityEtag);
      return writeIdentity(response, reply, headers, identityEtag);
    }
    releaseBuffer(body);
    const coded = ['Content-Encoding', coding, lengthName, String(encoded.length)];
    return write(response, status, [...entity, ...coded, ...common, 'ETag', etag], staticHeaders, encoded);
  };
  const encoded = codings!.encode(coding, bodyDigest(reply), body, request.socket);
  return encoded instanceof Promise ? encoded.then(writeEncoded) : writeEncoded(encoded);
}

/** Asks whether the body may be written. If not, sends the other reply and returns its status. Otherwise returns null. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  staticHeaders: HeaderList,
  refuseBody: SendOptions['refuseBody'],
): number | Promise<number> | null {
  const refusal = refuseBody === undefined || request.method === 'HEAD' ? null : refuseBody(body, response);
  if (refusal === null) return null;
  releaseBuffer(body);
  return sendReply(request, response, refusal, staticHeaders);
}

/** Sends an uncompressed 200. */
function writeIdentity(
  response: ServerResponse,
  { status, body }: Reply,
  { entity, all, staticHeaders }: OrderedHeaders,
  etag: string,
): number {
  const headers = all.slice();
  headers[entity.length + 1] = String(body.length);
  headers[headers.length - 1] = etag;
  return write(response, status, headers, staticHeaders, body);
}

function isFresh({ headers }: IncomingMessage, etag: string): boolean {
  return headers['if-none-match'] !== undefined && fresh(headers, { etag });
}

function writeNotModified(response: ServerResponse, { body }: Reply, ordered: OrderedHeaders, etag: string): number {
  releaseBuffer(body);
  return write(response, 304, [...ordered.common, 'ETag', etag], ordered.staticHeaders);
}

function write(
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  staticHeaders: HeaderList,
  body?: Buffer,
): number {
  if (staticHeaders === noHeaders) {
    // middlewares of the app may wrap writeHead, and not all of them support a list of headers
    for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i], mergedValue(response, headers, i));
    response.writeHead(status);
    // middlewares of the app may retain the body, so its buffer is not released
    endBatched(response, body);
  } else {
    response.writeHead(status, headers as string[]);
    endBatched(response, body, body && isPooled(body) ? () => releaseBuffer(body) : undefined);
  }
  return status;
}

/** Returns the value to set. `Vary` is appended to the value that the app has set; other headers replace it. */
function mergedValue(response: ServerResponse, headers: HeaderList, index: number): string {
  const earlier = headers[index] === 'Vary' ? response.getHeader('Vary') : undefined;
  return earlier === undefined ? headers[index + 1] : `${earlier}, ${headers[index + 1]}`;
}

/**
 * Merges `Vary` of the reply and of the static headers into one header. Node would keep only the last of two if other
 * headers, such as those of the rate limit, were set before.
 */
function withVary(staticHeaders: HeaderList): string[] {
  const fields = [vary];
  const others: string[] = [];
  for (let i = 0; i < staticHeaders.length; i += 2) {
    if (staticHeaders[i] === 'Vary') fields.push(staticHeaders[i + 1]);
    else others.push(staticHeaders[i], staticHeaders[i + 1]);
  }
  return ['Vary', fields.join(', '), ...others];
}

function orderedHeaders({ headers }: Reply, staticHeaders: HeaderList): OrderedHeaders {
  const first = orderedByHeaders.get(headers);
  let known = first;
  while (known && known.staticHeaders !== staticHeaders) known = known.other;
  return known ?? orderHeaders(headers, staticHeaders, first);
}

function orderHeaders(
  headers: Reply['headers'],
  staticHeaders: HeaderList,
  other: OrderedHeaders | undefined,
): OrderedHeaders {
  const entity: string[] = [];
  const common: string[] = [];
  for (const [name, value] of Object.entries(headers)) (/^content-/i.test(name) ? entity : common).push(name, value);
  common.push(...withVary(staticHeaders));
  const all = [...entity, lengthName, '', ...common, 'ETag', ''];
  const ordered = { staticHeaders, entity, common, all, other };
  orderedByHeaders.set(headers, ordered);
  return ordered;
}

/** Base64 characters of an ETag: 132 bits of a digest, or the 128 bits of a checksum. */
const tagLength = 22;

/** From this size on, in bytes, the ETag is a checksum, which takes a third of the time of a digest. */
const largeBody = 16 * 1024;

/** Constant, so that every process computes the same ETags. Not a secret. */
const key = Buffer.alloc(16);
const nonce = Buffer.alloc(12);

/** A reply that caches the digest and the checksum of its body. */
type HashedReply = Reply & { digest?: string; checksum?: string };

/** Returns the strong ETag of a reply in a content coding, or in identity if `coding` is null. */
export function etagOf(reply: Reply, coding: string | null): string {
  if (coding !== null) return `"${bodyDigest(reply)}-${coding}"`;
  return `"${reply.body.length < largeBody ? bodyDigest(reply) : checksumOf(reply)}"`;
}

/** Returns a collision-resistant digest of the body. */
function bodyDigest(reply: HashedReply): string {
  reply.digest ??= hash('sha256', reply.body, 'base64url').slice(0, tagLength);
  return reply.digest;
}

/**
 * Returns the 128-bit GHASH of the body, computed as a GCM authentication tag. Accidental collisions are negligible.
 * The key is public, so an author of content could construct a collision. Use it only for the ETag of one URL, never as
 * a cache key.
 */
function checksumOf(reply: HashedReply): string {
  if (reply.checksum === undefined) {
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(reply.body);
    cipher.final();
    reply.checksum = cipher.getAuthTag().toString('base64url');
  }
  return reply.checksum;
}
