import { stringify } from 'qs';
import { writeAtomically } from '../../core/write-file.ts';
import { InterruptiblePause } from '../pauses.ts';
import { checkToken, findApi, readAddress } from './find-api.ts';
import {
  defaultFirstPause,
  isRepeatable,
  maxRetryAfter,
  RequestSlots,
  randomPause,
  readRetryAfter,
  SharedPause,
} from './retries.ts';
import { addressHint, describeConnectionError, describeReply, isUnreachable, StrapiError } from './strapi-error.ts';

export interface ClientSettings {
  /** Address of the Strapi, with or without the prefix of its API: `https://cms.example.com`. */
  readonly url: string;
  /** An API token. Without one, requests have the rights of the role Public. */
  readonly token?: string;
  /** The prefix of the API below the address. Default: `/api`, or none if that has no API. */
  readonly prefix?: string;
  /** Maximum number of requests at once. Default: 4. */
  readonly concurrency?: number;
  /** Maximum time of one attempt in milliseconds, with the reply. Default: 60,000. */
  readonly timeout?: number;
  /** Maximum number of attempts for a request. Default: 7, which takes about a minute. */
  readonly attempts?: number;
  /** Pause after the first failure in milliseconds. Later ones are longer. Default: 500. */
  readonly firstPause?: number;
  /** The pause of failed requests. Ending it sends them again, unless the server sent Retry-After. */
  readonly retryPause?: InterruptiblePause;
  /** Aborts all requests, which reject with its reason. */
  readonly signal?: AbortSignal;
}

const maxRedirects = 5;

/** Reads the REST API of a Strapi 5, gently. Sends the token to the origin of the address only. */
export class StrapiClient {
  /** The address of the API, without a slash at its end. */
  #address: string;
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  readonly #hasToken: boolean;
  readonly #timeout: number;
  readonly #attempts: number;
  readonly #firstPause: number;
  readonly #signal: AbortSignal | undefined;
  readonly #slots: RequestSlots;
  readonly #pause = new SharedPause();
  readonly #retryPause: InterruptiblePause;
  #requestCount = 0;
  #hasReached = false;
  #serverTime: number | null = null;

  private constructor(settings: ClientSettings, address: URL) {
    const { token, concurrency = 4, timeout = 60_000, attempts = 7, signal } = settings;
    this.#address = address.href.replace(/\/+$/, '');
    this.#origin = address.origin;
    this.#hasToken = token !== undefined;
    this.#headers = {
      Accept: 'application/json',
      // caches between here and the Strapi may hold the replies before a change
      'Cache-Control': 'no-cache',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    this.#timeout = timeout;
    this.#attempts = attempts;
    this.#firstPause = settings.firstPause ?? defaultFirstPause;
    this.#signal = signal;
    this.#retryPause = settings.retryPause ?? new InterruptiblePause();
    this.#slots = new RequestSlots(concurrency);
  }

  /** Finds the API at an address. Rejects with a StrapiError if there is none, or if it rejects the token. */
  static async open(settings: ClientSettings): Promise<StrapiClient> {
    const address = readAddress(settings.url);
    checkToken(settings.token);
    const client = new StrapiClient(settings, address);
    const probe = (prefix: string, path: string) => client.#getAt(`${client.#address}${prefix}/${path}`);
    client.#address += await findApi(probe, settings.prefix);
    return client;
  }

  /** The address of the API, such as `https://cms.example.com/api`. */
  get address(): string {
    return this.#address;
  }

  /** The number of requests that were sent. */
  get requestCount(): number {
    return this.#requestCount;
  }

  /** The time of the server in its latest reply, in milliseconds since 1970 and to a second. Null if it sends none. */
  get serverTime(): number | null {
    return this.#serverTime;
  }

  /**
   * Returns the JSON of the reply to a GET. `path` is below the API, without a slash at its start. `permission` is what
   * the request needs, for the message of a 403. Sends the request again after network errors, 429 and 5xx. Rejects with
   * a StrapiError.
   */
  get(path: string, query: object = {}, permission?: string): Promise<unknown> {
    return this.#getAt(this.urlOf(path, query), permission);
  }

  /** Returns the URL of a request. */
  urlOf(path: string, query: object = {}): string {
    return `${this.#address}/${path}${stringify(query, { addQueryPrefix: true, encodeValuesOnly: true })}`;
  }

  /** Returns the text of the reply to a GET with more headers. Otherwise as `get`. */
  getText(path: string, query: object, headers: Readonly<Record<string, string>>): Promise<string> {
    return this.#slots.run(() => this.#send({ url: this.urlOf(path, query), headers }));
  }

  async #getAt(url: string, permission?: string): Promise<unknown> {
    const text = await this.#slots.run(() => this.#send({ url, permission }));
    try {
      return JSON.parse(text);
    } catch {
      throw new StrapiError(`${url} answers with something other than JSON. ${addressHint}`, 200);
    }
  }

  /**
   * Downloads a path below the root of the server, such as `/uploads/a.png`, to a file. Sends no token. Returns false if
   * the server has no such file. Rejects with a StrapiError, or with a system error if the file cannot be written.
   */
  async download(path: string, file: string): Promise<boolean> {
    const url = new URL(path, this.#origin).href;
    const save = async (reply: Response): Promise<string> => {
      const body: AsyncIterable<Uint8Array> = reply.body ?? (async function* () {})();
      await writeAtomically(file, body);
      return '';
    };
    try {
      await this.#slots.run(() => this.#send({ url, save }));
      return true;
    } catch (error) {
      if (error instanceof StrapiError && error.status === 404) return false;
      throw error;
    }
  }

  /** Returns the text of a successful reply, or the result of `save`. */
  async #send(request: ClientRequest): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      await this.#pause.wait(this.#signal);
      const outcome = await this.#attempt(request);
      if ('text' in outcome) return outcome.text;
      if (!outcome.isRepeatable || attempt + 1 >= this.#attempts) throw outcome.error;
      const time = Math.max(randomPause(attempt + 1, this.#firstPause), outcome.retryAfter);
      if (outcome.retryAfter > 0) this.#pause.extend(time);
      else await this.#retryPause.wait(time, { keepsAlive: true, signal: this.#signal });
    }
  }

  async #attempt({ url, permission, headers, save }: ClientRequest): Promise<Outcome> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#timeout);
    const end = () => timeout.abort();
    this.#signal?.addEventListener('abort', end);
    try {
      const reply = await this.#fetchFrom(url, timeout.signal, save ? {} : { ...this.#headers, ...headers });
      this.#hasReached = true;
      const date = Date.parse(reply.headers.get('date') ?? '');
      if (!Number.isNaN(date)) this.#serverTime = date;
      if (save && reply.ok) return { text: await save(reply) };
      const text = await readBody(reply);
      // without a status, as for a reply that does not end, because a smaller page may be readable
      if (text === null) return failure(new StrapiError(`${url}: the reply is larger than 256 MiB.`));
      if (reply.ok) return { text };
      const retryAfter = readRetryAfter(reply.headers.get('retry-after'));
      const error = describeReply({ url, status: reply.status, text, permission, hasToken: this.#hasToken });
      return failure(error, isRepeatable(reply.status) && retryAfter <= maxRetryAfter, retryAfter);
    } catch (error) {
      this.#signal?.throwIfAborted();
      // the server is not to blame for a file that cannot be written
      if (error instanceof StrapiError || isFileError(error)) throw error;
      const problem = timeout.signal.aborted
        ? `does not answer within ${this.#timeout / 1000} s`
        : `cannot be read: ${describeConnectionError(error)}`;
      // an address that was never reached is probably wrong
      return failure(
        new StrapiError(`${url} ${problem}`, null, false, true),
        this.#hasReached || !isUnreachable(error),
      );
    } finally {
      clearTimeout(timer);
      this.#signal?.removeEventListener('abort', end);
    }
  }

  /** Follows redirects within the origin. */
  async #fetchFrom(url: string, signal: AbortSignal, headers: Record<string, string>): Promise<Response> {
    let target = url;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      this.#requestCount++;
      const reply = await fetch(target, { headers, redirect: 'manual', signal });
      const location = reply.headers.get('location');
      if (reply.status < 300 || reply.status >= 400 || location === null) return reply;
      await reply.body?.cancel();
      const next = new URL(location, target);
      if (next.origin !== this.#origin) {
        throw new StrapiError(
          `${url} redirects to another origin, ${next.origin}. If the Strapi is there, name that address.`,
          reply.status,
        );
      }
      target = next.href;
    }
    throw new StrapiError(`${url} redirects more than ${maxRedirects} times.`);
  }
}

interface ClientRequest {
  readonly url: string;
  /** As in `get`. */
  readonly permission?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes a successful reply. A request with `save` sends no token. */
  readonly save?: (reply: Response) => Promise<string>;
}

type Outcome =
  | { readonly text: string }
  | { readonly error: StrapiError; readonly isRepeatable: boolean; readonly retryAfter: number };

function failure(error: StrapiError, isRepeatable = false, retryAfter = 0): Outcome {
  return { error, isRepeatable, retryAfter };
}

/** Whether an error is one of the file system. Errors of connections have no path. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

/** Maximum size of a reply, in bytes. A page of entries is far smaller. */
const maxBytes = 256 * 2 ** 20;

/** Returns the text of a reply, or null if it is larger than 256 MiB. Rejects if the connection breaks. */
async function readBody(reply: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  if (!reply.body) return text;
  for await (const chunk of reply.body) {
    bytes += chunk.length;
    // leaving the loop cancels the reply
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
