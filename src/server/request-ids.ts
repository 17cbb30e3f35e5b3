import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What proxies send; anything else could break a line or fill the log. */
const acceptable = /^[\x21-\x7e]{1,128}$/;

/** An id for each request that is logged: the `X-Request-Id` of a trusted proxy, or one made here. */
export class RequestIds {
  readonly #isTrusted: (request: IncomingMessage) => boolean;
  readonly #known = new WeakMap<IncomingMessage, string>();
  /** Differs between processes, so that ids in one log do too. */
  readonly #process = randomBytes(4).toString('hex');
  #count = 0;

  constructor(isTrusted: (request: IncomingMessage) => boolean) {
    this.#isTrusted = isTrusted;
  }

  /** The same id each time for the same request. */
  of(request: IncomingMessage): string {
    let id = this.#known.get(request);
    if (id === undefined) {
      id = this.#given(request) ?? `${this.#process}-${(++this.#count).toString(36)}`;
      this.#known.set(request, id);
    }
    return id;
  }

  #given(request: IncomingMessage): string | null {
    const { 'x-request-id': given } = request.headers;
    return typeof given === 'string' && acceptable.test(given) && this.#isTrusted(request) ? given : null;
  }
}
