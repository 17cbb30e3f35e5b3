import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import type { Reply } from '../reply/reply.ts';
import type { Codings } from './codings.ts';

/** What every reply depends on besides its URL: whether caches may use it for another request. */
const vary = 'Authorization, Accept-Encoding, Strapi-Response-Format';

/** Characters of the digest in an ETag: 132 bits of SHA-256, which no two replies that occur share. */
const digestLength = 22;

/** Names and values of headers, one after the other. */
export type HeaderList = readonly string[];

/** What stands around a reply in someone's app: what the app has set, and that is its own. */
export const nothingAround: HeaderList = [];

/** What is worked out when a reply is first sent and used whenever it is sent again. */
interface Prepared {
  /** The headers around the reply for which this was worked out. */
  readonly around: HeaderList;
  /** Digest of the body, which its ETag is made from; null where there is nothing to compare. */
  readonly digest: string | null;
  /** The headers that say what the body is, but for its length. */
  readonly own: HeaderList;
  /** All others, which a 304 carries too, but for the ETag. */
  readonly common: HeaderList;
  /** All headers of the reply as it is. */
  readonly whole: HeaderList;
}

type Sendable = Reply & { prepared?: Prepared };

/**
 * Sends a reply with the headers that belong to it and those `around` it, compressed if there are `codings` and the
 * client takes one, or a 304 if the client has it; gives the status. The same list `around` for the same headers lets a reply that is
 * sent again be a single write. For HEAD, Node leaves the body out by itself.
 */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  around: HeaderList,
  codings: Codings | null = null,
): number | Promise<number> {
  const { digest, own, common, whole } = preparedOf(reply, around);
  const { headers } = request;
  const { status, body } = reply;
  if (digest === null) return write(response, status, whole, around, body);

  const coding = codings?.choose(headers['accept-encoding'] as string | undefined, body.length) ?? null;
  if (headers['if-none-match'] !== undefined) {
    const etag = etagOf(digest, coding);
    if (fresh(headers, { etag })) return write(response, 304, [...common, 'ETag', etag], around);
  }
  if (!coding) return write(response, status, whole, around, body);

  const writeEncoded = (encoded: Buffer) => {
    const length = ['Content-Encoding', coding, 'Content-Length', String(encoded.length)];
    const list = [...own, ...length, ...common, 'ETag', etagOf(digest, coding)];
    return write(response, status, list, around, encoded);
  };
  const encoded = codings!.encode(coding, digest, body);
  return encoded instanceof Promise ? encoded.then(writeEncoded) : writeEncoded(encoded);
}

function write(
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  around: HeaderList,
  body?: Buffer,
): number {
  if (around === nothingAround) {
    // An app's middlewares may wait for the head and change it, and not all of them understand a list.
    for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i], merged(response, headers, i));
    response.writeHead(status);
  } else response.writeHead(status, headers as string[]);
  response.end(body);
  return status;
}

/** Of what the app has set before, `Vary` is what a reply only adds to. */
function merged(response: ServerResponse, headers: HeaderList, index: number): string {
  const earlier = headers[index] === 'Vary' ? response.getHeader('Vary') : undefined;
  return earlier === undefined ? headers[index + 1] : `${earlier}, ${headers[index + 1]}`;
}

/** The same reply in another coding is another sequence of bytes, so a strong ETag has to differ. */
function etagOf(digest: string, coding: string | null): string {
  return coding === null ? `"${digest}"` : `"${digest}-${coding}"`;
}

function preparedOf(reply: Sendable, around: HeaderList): Prepared {
  let prepared = reply.prepared;
  if (prepared?.around !== around) reply.prepared = prepared = prepare(reply, around);
  return prepared;
}

function prepare({ status, headers, body }: Reply, around: HeaderList): Prepared {
  const isFound = status === 200;
  const digest = isFound ? hash('sha256', body, 'base64url').slice(0, digestLength) : null;
  const common: string[] = [];
  const own: string[] = [];
  for (const [name, value] of Object.entries(headers)) (/^content-/i.test(name) ? own : common).push(name, value);
  common.push('Vary', vary, ...around);
  const whole = [...own, ...(status === 204 ? [] : ['Content-Length', String(body.length)]), ...common];
  if (digest !== null) whole.push('ETag', etagOf(digest, null));
  return { around, digest, own, common, whole };
}
