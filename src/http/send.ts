import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import type { Reply } from '../reply/reply.ts';

/** What every reply depends on besides its URL: whether caches may use it for another request. */
const vary = 'Authorization, Accept-Encoding, Strapi-Response-Format';

/** Characters of the digest in an ETag: 132 bits of SHA-256, which no two replies that occur share. */
const tagLength = 22;

/** Names and values of headers, one after the other. */
export type HeaderList = readonly string[];

/** What is worked out when a reply is first sent and used whenever it is sent again. */
interface Prepared {
  /** The headers around the reply for which this was worked out. */
  readonly around: HeaderList;
  /** Of the body as it is, without quotes; null where there is nothing to compare. */
  readonly tag: string | null;
  /** All headers that a 304 carries, but for its ETag. */
  readonly common: HeaderList;
  /** All headers of the reply as it is. */
  readonly whole: HeaderList;
}

type Sendable = Reply & { prepared?: Prepared };

/**
 * Sends a reply with the headers that belong to it and those `around` it, or a 304 if the client has it. The same
 * list `around` for the same headers lets a reply that is sent again be a single write. For HEAD, Node leaves the body
 * out by itself.
 */
export function sendReply(request: IncomingMessage, response: ServerResponse, reply: Reply, around: HeaderList): void {
  const { tag, common, whole } = preparedOf(reply, around);
  if (tag !== null && request.headers['if-none-match'] !== undefined) {
    const etag = `"${tag}"`;
    if (fresh(request.headers, { etag })) {
      response.writeHead(304, merged(response, [...common, 'ETag', etag]));
      response.end();
      return;
    }
  }
  response.writeHead(reply.status, merged(response, whole));
  response.end(reply.body);
}

function preparedOf(reply: Sendable, around: HeaderList): Prepared {
  let prepared = reply.prepared;
  if (prepared?.around !== around) reply.prepared = prepared = prepare(reply, around);
  return prepared;
}

function prepare({ status, headers, body }: Reply, around: HeaderList): Prepared {
  const isFound = status === 200;
  const tag = isFound ? hash('sha256', body, 'base64url').slice(0, tagLength) : null;
  const common: string[] = [];
  const own: string[] = [];
  for (const [name, value] of Object.entries(headers)) (/^content-/i.test(name) ? own : common).push(name, value);
  common.push('Vary', vary, ...around);
  const whole = [...own, ...(status === 204 ? [] : ['Content-Length', String(body.length)]), ...common];
  if (tag !== null) whole.push('ETag', `"${tag}"`);
  return { around, tag, common, whole };
}

/** In an app, what it set before stays: of the headers above only `Vary` is one that both may have something to say to. */
function merged(response: ServerResponse, headers: HeaderList): string[] {
  const list = headers as string[];
  if (!response.hasHeader('vary')) return list;
  const earlier = String(response.getHeader('vary'));
  return list.map((text, index) => (index % 2 === 1 && list[index - 1] === 'Vary' ? `${earlier}, ${text}` : text));
}
