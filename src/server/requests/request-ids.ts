import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Accepts ids of common proxies. Rejects control characters and long values, which could corrupt or fill the log. */
const acceptable = /^[\x21-\x7e]{1,128}$/;

/** Assigns an id to each logged request: the `X-Request-Id` of a trusted proxy, or a generated id. */
export class RequestIds {
  readonly #isTrusted: (request: IncomingMessage) => boolean;
  readonly #known = new WeakMap<IncomingMessage, string>();
  /** Random per process, so that ids of several processes in one log differ. */
  readonly #process = randomBytes(4).toString('hex');
  #count = 0;

  constructor(isTrusted: (request: IncomingMessage) => boolean) {
    this.#isTrusted = isTrusted;
  }

  /** Returns the id of a request. Always the same for one request. */
  of(request: IncomingMessage): string {
    let id = this.#known.get(request);
    if (id === undefined) {
      id = this.#forwardedId(request) ?? `${this.#process}-${(++this.#count).toString(36)}`;
      this.#known.set(request, id);
    }
    return id;
  }

  #forwardedId(request: IncomingMessage): string | null {
    const { 'x-request-id': given } = request.headers;
    return typeof given === 'string' && acceptable.test(given) && this.#isTrusted(request) ? given : null;
  }
}
