/** Events of Lectern's webhook, which name what a change made stale. */
import { isSigned } from './signature.ts';

export interface StaleEvent {
  /** The name of the content that changed. */
  readonly content: string;
  /** The version that is served now, as in the header `X-Lectern-Version`. */
  readonly version: string;
  /** Tags of the replies that may differ. Null if every reply may. */
  readonly tags: readonly string[] | null;
}

export type Handler = (request: Request) => Promise<Response>;

/** Maximum bytes of a body. 10,000 tags of 128 characters take 1.3 MB. */
const maximumBytes = 4 * 2 ** 20;

/**
 * Returns a handler of the webhook, which calls `take` for each event. Lectern sends an event again unless the status is
 * 2xx. It is 401 for a wrong signature, 400 for a wrong body, 413 for one that is too large, 500 without a secret, and
 * 502 if `take` fails.
 */
export function webhookHandler(secret: string | undefined, take: (event: StaleEvent) => void | Promise<void>): Handler {
  return async (request) => {
    if (!secret) return reply(500, 'The handler of the webhook has no secret');
    const body = await readBody(request);
    if (!body) return reply(413, `The body takes more than ${maximumBytes} bytes`);
    const signature = request.headers.get('X-Lectern-Signature');
    if (!(await isSigned(body, signature, secret))) return reply(401, 'X-Lectern-Signature is missing or wrong');
    const event = parseEvent(new TextDecoder().decode(body));
    if (!event) return reply(400, 'The body is no event of the webhook');
    try {
      await take(event);
    } catch (error) {
      console.error('An event of the webhook failed:', error);
      return reply(502, error instanceof Error ? error.message : String(error));
    }
    return new Response(null, { status: 204 });
  };
}

function reply(status: number, message: string): Response {
  return new Response(`${message}\n`, { status });
}

/** Returns null if the body is too large. Nobody has checked yet who sends it. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const reader = request.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maximumBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function parseEvent(text: string): StaleEvent | null {
  try {
    const event = JSON.parse(text);
    const { content, version, tags } = event ?? {};
    const areTags = tags === null || (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'));
    return areTags && typeof content === 'string' && typeof version === 'string' ? event : null;
  } catch {
    return null;
  }
}
