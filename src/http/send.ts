import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import { isPooled, releaseBuffer } from '../reply/buffer-pool.ts';
import type { Reply } from '../reply/reply.ts';
import type { Codings } from './codings.ts';
import { digestOf, etagOf } from './etag.ts';
import { endBatched } from './write-batching.ts';

/** What every reply depends on besides its URL: whether caches may use it for another request. */
const vary = 'Authorization, Accept-Encoding, Strapi-Response-Format';

const lengthName = 'Content-Length';

/** Names and values of headers, one after the other. */
export type HeaderList = readonly string[];

/** What stands around a reply in someone's app: what the app has set, and that is its own. */
export const noHeaders: HeaderList = [];

/** The headers of a reply, put in order for sending. Replies share them that have the same, as most have. */
interface Ordered {
  /** The headers around the reply, which are among `common`. */
  readonly around: HeaderList;
  /** Those that say what the body is, but for its length. */
  readonly own: HeaderList;
  /** All others, which a 304 carries too, but for the ETag. */
  readonly common: HeaderList;
  /** All of them as most replies have them, with room for the length behind `own` and for the ETag at the end. */
  readonly whole: HeaderList;
}

const ordered = new WeakMap<Reply['headers'], Ordered>();

/**
 * Sends a reply with the headers that belong to it and those `around` it, or a 304 if the client has it. Compresses it
 * if there are `codings`, the client takes one and not too many others wait for it. Returns the status. For HEAD, Node leaves the body out by itself.
 */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  around: HeaderList,
  codings: Codings | null = null,
): number | Promise<number> {
  const { status, body } = reply;
  const headers = orderedHeaders(reply, around);
  const { own, common } = headers;
  if (status === 204) return write(response, status, common, around, body);
  // only with what was found is there something to compare
  if (status !== 200) {
    return write(response, status, [...own, lengthName, String(body.length), ...common], around, body);
  }

  const coding = codings?.choose(request.headers['accept-encoding'] as string | undefined, body.length) ?? null;
  if (!coding) return writeIdentity(request, response, reply, headers);
  const etag = etagOf(reply, coding);
  if (isFresh(request, etag)) return writeNotModified(response, reply, headers, etag);

  const writeEncoded = (encoded: Buffer | null) => {
    if (!encoded) return writeIdentity(request, response, reply, headers);
    releaseBuffer(body);
    const coded = ['Content-Encoding', coding, lengthName, String(encoded.length)];
    return write(response, status, [...own, ...coded, ...common, 'ETag', etag], around, encoded);
  };
  const encoded = codings!.encode(coding, digestOf(reply), body, request.socket);
  return encoded instanceof Promise ? encoded.then(writeEncoded) : writeEncoded(encoded);
}

/** Sends what was found uncompressed, or a 304. */
function writeIdentity(request: IncomingMessage, response: ServerResponse, reply: Reply, ordered: Ordered): number {
  const { status, body } = reply;
  const etag = etagOf(reply, null);
  if (isFresh(request, etag)) return writeNotModified(response, reply, ordered, etag);
  const { own, whole, around } = ordered;
  const headers = whole.slice();
  headers[own.length + 1] = String(body.length);
  headers[headers.length - 1] = etag;
  return write(response, status, headers, around, body);
}

function isFresh({ headers }: IncomingMessage, etag: string): boolean {
  return headers['if-none-match'] !== undefined && fresh(headers, { etag });
}

function writeNotModified(response: ServerResponse, { body }: Reply, ordered: Ordered, etag: string): number {
  releaseBuffer(body);
  return write(response, 304, [...ordered.common, 'ETag', etag], ordered.around);
}

function write(
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  around: HeaderList,
  body?: Buffer,
): number {
  if (around === noHeaders) {
    // An app's middlewares may wait for the head and change it, and not all of them understand a list.
    for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i], merged(response, headers, i));
    response.writeHead(status);
    // an app's middlewares may keep what is sent
    endBatched(response, body);
  } else {
    response.writeHead(status, headers as string[]);
    endBatched(response, body, body && isPooled(body) ? () => releaseBuffer(body) : undefined);
  }
  return status;
}

/** Of what the app has set before, `Vary` is what a reply only adds to. */
function merged(response: ServerResponse, headers: HeaderList, index: number): string {
  const earlier = headers[index] === 'Vary' ? response.getHeader('Vary') : undefined;
  return earlier === undefined ? headers[index + 1] : `${earlier}, ${headers[index + 1]}`;
}

/**
 * The headers around a reply with one Vary for both: a second one would replace the first where Node has to merge
 * them with headers that were set before, such as those of the rate limit.
 */
function withVary(around: HeaderList): string[] {
  const fields = [vary];
  const others: string[] = [];
  for (let i = 0; i < around.length; i += 2) {
    if (around[i] === 'Vary') fields.push(around[i + 1]);
    else others.push(around[i], around[i + 1]);
  }
  return ['Vary', fields.join(', '), ...others];
}

function orderedHeaders({ headers }: Reply, around: HeaderList): Ordered {
  let known = ordered.get(headers);
  if (known?.around !== around) {
    const own: string[] = [];
    const common: string[] = [];
    for (const [name, value] of Object.entries(headers)) (/^content-/i.test(name) ? own : common).push(name, value);
    common.push(...withVary(around));
    known = { around, own, common, whole: [...own, lengthName, '', ...common, 'ETag', ''] };
    ordered.set(headers, known);
  }
  return known;
}
