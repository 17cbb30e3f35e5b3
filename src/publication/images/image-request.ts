import { ReadableStream } from 'node:stream/web';
import { formatNumber } from '../../core/problems.ts';
import { PublicationError } from '../publication.ts';

export type ImageMethod = 'GET' | 'HEAD' | 'PUT';

export interface ImageRequest {
  readonly method: ImageMethod;
  readonly url: URL;
  /** Returns the headers that authorize a request to a URL, which is another one after a redirect. */
  readonly authorize: (method: ImageMethod, url: URL) => Promise<Readonly<Record<string, string>>>;
  /** Of a PUT: as many bytes as the pieces have. */
  readonly body?: { readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> };
  /** Milliseconds without a byte after which the request ends. */
  readonly patience: number;
  readonly signal?: AbortSignal;
}

export interface ImageReply {
  readonly status: number;
  readonly headers: Headers;
  /** Yields the body. To be read to its end, or left: then the rest is not received. */
  read(): AsyncIterable<Uint8Array>;
  /** Ends the reply. */
  discard(): Promise<void>;
}

const maxRedirects = 5;

/**
 * Sends a request and returns the reply, of any status. A GET follows redirects within its scheme. Rejects with a
 * PublicationError that names the URL without its query, with what the pieces threw, or with the reason of the signal.
 */
export async function sendImageRequest(request: ImageRequest): Promise<ImageReply> {
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    const reply = await sendOnce(request, url);
    const location = reply.headers.get('location');
    const isRedirect = reply.status >= 300 && reply.status < 400 && reply.status !== 304 && location !== null;
    if (!isRedirect) return reply;
    await reply.discard();
    const place = shownUrl(url);
    if (!URL.canParse(location, url.href)) throw new PublicationError(`${place} redirects to no URL (${reply.status})`);
    const next = new URL(location, url);
    const to = `${place} redirects to ${shownUrl(next)} (${reply.status})`;
    if (request.method !== 'GET') throw new PublicationError(`${to}: only downloads follow redirects`);
    if (next.protocol !== url.protocol) throw new PublicationError(`${to}, which has another scheme`);
    if (redirects === maxRedirects) throw new PublicationError(`${to}, after ${maxRedirects} redirects`);
    url = next;
  }
}

/** Returns a URL without what may be a secret. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname;
}

async function sendOnce({ method, authorize, body, patience, signal }: ImageRequest, url: URL): Promise<ImageReply> {
  const progress = new Progress(url, patience, signal);
  let readError: unknown;
  const pieces = body && ReadableStream.from(observe(body.pieces, progress, (error) => (readError = error)));
  const headers: Record<string, string> = {
    ...(await authorize(method, url)),
    // a size that is announced is that of the image
    'Accept-Encoding': 'identity',
    ...(body && { 'Content-Length': String(body.bytes), 'Content-Type': 'application/octet-stream' }),
  };
  const fail = (error: unknown, what: string) => {
    const known = progress.error ?? readError;
    const reason = signal?.aborted ? signal.reason : (known ?? connectionError(url, what, error as Error));
    progress.stop();
    return reason;
  };
  try {
    progress.advance();
    const init: RequestInit & { duplex?: 'half' } = { method, headers, redirect: 'manual', signal: progress.signal };
    if (pieces) Object.assign(init, { body: pieces, duplex: 'half' });
    const response = await fetch(url, init);
    progress.end();
    return toReply(response, progress, fail);
  } catch (error) {
    throw fail(error, 'cannot be reached');
  }
}

function toReply(
  { status, headers, body }: Response,
  progress: Progress,
  fail: (error: unknown, what: string) => unknown,
): ImageReply {
  return {
    status,
    headers,
    async *read() {
      if (body === null) return;
      const reader = body.getReader();
      try {
        for (;;) {
          // a consumer that takes its time is no lack of progress
          progress.advance();
          const { done, value } = await reader.read().catch((error) => {
            throw fail(error, 'ended the connection');
          });
          progress.end();
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel().catch(() => {});
        progress.stop();
      }
    },
    discard: async () => {
      await body?.cancel().catch(() => {});
      progress.stop();
    },
  };
}

/** Yields the pieces. Each one that is taken is progress. */
async function* observe(
  pieces: AsyncIterable<Uint8Array>,
  progress: Progress,
  onError: (error: unknown) => void,
): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of pieces) {
      // fetch reads on after it has failed
      progress.signal.throwIfAborted();
      progress.advance();
      yield piece;
    }
  } catch (error) {
    onError(error);
    throw error;
  }
  progress.advance();
}

/** Aborts a request that makes no progress. */
class Progress {
  readonly signal: AbortSignal;
  readonly #url: URL;
  readonly #patience: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Why the request was aborted. */
  error: PublicationError | null = null;

  constructor(url: URL, patience: number, signal: AbortSignal | undefined) {
    this.#url = url;
    this.#patience = patience;
    this.signal = signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
  }

  advance(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const seconds = formatNumber(this.#patience / 1000);
      this.error = new PublicationError(`${shownUrl(this.#url)} makes no progress for ${seconds} s`);
      this.#controller.abort(this.error);
    }, this.#patience);
  }

  /** No more progress is expected. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the request, if it has not ended. */
  stop(): void {
    this.end();
    this.#controller.abort();
  }
}

function connectionError(url: URL, what: string, error: Error): PublicationError {
  // fetch says why in the cause
  const cause = error.cause instanceof Error ? error.cause : error;
  const first = cause instanceof AggregateError && cause.errors.length > 0 ? (cause.errors[0] as Error) : cause;
  const { code } = first as NodeJS.ErrnoException;
  const reason = code && !first.message.includes(code) ? `${first.message} (${code})` : first.message;
  return new PublicationError(`${shownUrl(url)} ${what}: ${reason}`, { cause: first });
}
