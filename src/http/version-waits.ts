import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Reply } from '../query/reply/reply.ts';
import { type AtLeast, type AwaitedContent, type AwaitedSource, readAtLeast } from './at-least.ts';
import { overloadedReply } from './error-replies.ts';
import { noHeaders, sendReply } from './send.ts';

/** The longest wait, in milliseconds. */
const longestWait = 2000;

/** Maximum number of requests that wait in a router, which has no queue. */
const maximumInRouter = 1000;

const busy = 'Too many requests wait for a version: try again in a moment';
const stopping = 'The server is stopping';

/** The places of waiting requests. */
export interface WaitingPlaces {
  /** As `RequestQueue.hold`. */
  hold(request: IncomingMessage, response: ServerResponse): (() => void) | null;
  /** As `RequestQueue.admit`. */
  admit(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void;
  reject(request: IncomingMessage, response: ServerResponse, reply: Reply): void;
}

/** A request with the header `X-Lectern-At-Least`. */
export interface AtLeastRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly content: AwaitedContent;
  /** Null if the content follows none. */
  readonly source: AwaitedSource | null;
  readonly answer: RequestListener;
}

export interface WaitFigures {
  readonly waiting: number;
  /** Requests whose version was not served in time, since the start. */
  readonly timedOut: number;
}

/** Requests that wait until their content is at the version that they demand. */
export class VersionWaits {
  readonly #places: WaitingPlaces;
  /** Functions that end the waits with a 503. */
  readonly #waiting = new Set<() => void>();
  #timedOut = 0;
  #isClosed = false;

  constructor(places: WaitingPlaces) {
    this.#places = places;
  }

  get figures(): WaitFigures {
    return { waiting: this.#waiting.size, timedOut: this.#timedOut };
  }

  /** Ends all waits. Further requests do not wait. */
  close(): void {
    this.#isClosed = true;
    for (const stop of [...this.#waiting]) stop();
  }

  /** Answers a request now or later, or rejects it. */
  begin(waiting: AtLeastRequest): void {
    const { request, response, content, source, answer } = waiting;
    const least = readAtLeast(request, content, source);
    const verdict = least.verdict();
    if (verdict === 'reached') return answer(request, response);
    if (verdict !== 'awaited') return this.#places.reject(request, response, verdict);
    if (this.#isClosed) return this.#places.reject(request, response, overloadedReply(stopping));
    const free = this.#places.hold(request, response);
    if (free) this.#wait(least, waiting, free);
  }

  /** `free` gives the place back. */
  #wait(least: AtLeast, { request, response, answer }: AtLeastRequest, free: () => void): void {
    const end = (then: () => void) => {
      if (!this.#waiting.delete(stop)) return;
      clearTimeout(timer);
      endCalls();
      for (const stream of [request, response]) stream.off('close', leave);
      then();
    };
    const admit = () => {
      free();
      this.#places.admit(request, response, answer);
    };
    const reject = (reply: Reply) =>
      end(() => {
        free();
        this.#places.reject(request, response, reply);
      });
    const check = () => {
      const verdict = least.verdict();
      // in a later turn, because the caller has not finished its change
      if (verdict === 'reached') end(() => void setImmediate(admit));
      else if (verdict !== 'awaited') reject(verdict);
    };
    const stop = () => reject(overloadedReply(stopping));
    // a response closes with its connection only if no earlier one is due there
    const leave = () => {
      if (response.destroyed || request.socket.destroyed) end(free);
    };
    const timer = setTimeout(() => {
      this.#timedOut++;
      reject(overloadedReply(`${least.text} was not served within ${longestWait / 1000} seconds`));
    }, longestWait);
    this.#waiting.add(stop);
    const endCalls = least.listen(check);
    for (const stream of [request, response]) stream.once('close', leave);
  }
}

/** Returns the places of a router in another app. */
export function routerPlaces(): WaitingPlaces {
  let held = 0;
  const reject = (request: IncomingMessage, response: ServerResponse, reply: Reply) =>
    void sendReply(request, response, reply, noHeaders);
  return {
    hold: (request, response) => {
      if (held === maximumInRouter) {
        reject(request, response, overloadedReply(busy));
        return null;
      }
      held++;
      return () => void held--;
    },
    admit: (request, response, answer) => answer(request, response),
    reject,
  };
}
