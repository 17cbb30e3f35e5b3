import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { flushReplies } from '../http/write-batching.ts';

export interface QueueLimits {
  /** For which one turn of the event loop answers requests. It ends with the request that passes this. */
  readonly milliseconds: number;
  /** Requests that wait. */
  readonly requests: number;
  /** Requests of one connection that wait. */
  readonly perConnection: number;
}

/** Answers a request for which there is no room; `closes` says whether its connection ends with the reply. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, closes: boolean) => void;

/** Turns in a row that accept connections and answer nothing. */
const longestAccepting = 128;

/** The requests of one connection that wait. */
interface Line {
  readonly requests: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  /** Forgets the line when the connection closes. */
  readonly closed: () => void;
}

/**
 * Bounds the time for which one turn of the event loop answers requests, so that I/O and requests that pass the queue
 * by are not held up. While there is time left requests are answered at once. Others wait; the next turns answer one
 * of each connection in rotation, so that a connection gains nothing by pipelining.
 */
export class RequestQueue {
  readonly #limits: QueueLimits;
  readonly #answer: RequestListener;
  readonly #refuse: Refuse;
  /** In the order in which they are served next. */
  readonly #lines = new Map<Socket, Line>();
  /** Connections that were refused a request in this turn. */
  readonly #refusedNow = new Set<Socket>();
  /** Connections that end with a refusal: nothing that they sent behind it is answered. */
  readonly #ending = new WeakSet<Socket>();
  #waiting = 0;
  #refused = 0;
  #isTurn = false;
  #started = 0;
  #hasAccepted = false;
  /** Turns in a row that have answered nothing. */
  #passed = 0;

  constructor(limits: QueueLimits, answer: RequestListener, refuse: Refuse) {
    this.#limits = limits;
    this.#answer = answer;
    this.#refuse = refuse;
  }

  get figures(): { waiting: number; refused: number } {
    return { waiting: this.#waiting, refused: this.#refused };
  }

  /** Answers a request now or later, or refuses it. A request whose connection closes meanwhile is dropped. */
  run(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting === 0) {
      if (!this.#isTurn) this.#beginTurn();
      if (this.#hasTime()) return this.#answer(request, response);
    }
    this.#enqueue(request, response);
  }

  /**
   * Notes that a connection was accepted. One turn accepts one connection, so the next turn is left to the next: a new
   * connection would otherwise wait for as many turns as there are connections before it.
   */
  accepted(): void {
    this.#hasAccepted = true;
  }

  #beginTurn(): void {
    this.#isTurn = true;
    this.#started = performance.now();
    setImmediate(this.#endTurn);
  }

  #hasTime(): boolean {
    return performance.now() - this.#started < this.#limits.milliseconds;
  }

  readonly #endTurn = (): void => {
    this.#isTurn = false;
    this.#refusedNow.clear();
    if (this.#waiting === 0) return;
    // what is ready does not wait for what is answered now
    flushReplies();
    this.#beginTurn();
    if (this.#isAccepting()) return;
    do this.#answerNext();
    while (this.#waiting > 0 && this.#hasTime());
  };

  #isAccepting(): boolean {
    const isAccepting = this.#hasAccepted && this.#passed < longestAccepting;
    this.#hasAccepted = false;
    this.#passed = isAccepting ? this.#passed + 1 : 0;
    return isAccepting;
  }

  #answerNext(): void {
    const [socket, line] = this.#lines.entries().next().value!;
    const { request, response } = line.requests.shift()!;
    this.#waiting--;
    this.#lines.delete(socket);
    const { length } = line.requests;
    if (length > 0) this.#lines.set(socket, line);
    else socket.off('close', line.closed);
    if (length === 1 && !this.#ending.has(socket)) readOn(socket);
    this.#answer(request, response);
  }

  #enqueue(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed || this.#ending.has(socket)) return;
    let line = this.#lines.get(socket);
    const { requests, perConnection } = this.#limits;
    if (this.#waiting >= requests || (line && line.requests.length >= perConnection)) {
      return this.#refuseOne(request, response);
    }
    if (!line) {
      line = { requests: [], closed: () => this.#drop(socket) };
      this.#lines.set(socket, line);
      socket.once('close', line.closed);
    }
    line.requests.push({ request, response });
    this.#waiting++;
    if (line.requests.length === 2) readNoMore(socket);
  }

  /** Refuses a request. A connection that has sent several ends, so that each costs one refusal. */
  #refuseOne(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const closes = this.#lines.has(socket) || this.#refusedNow.has(socket);
    this.#refused++;
    this.#refusedNow.add(socket);
    if (closes) {
      this.#ending.add(socket);
      readNoMore(socket);
    }
    this.#refuse(request, response, closes);
  }

  #drop(socket: Socket): void {
    this.#waiting -= this.#lines.get(socket)?.requests.length ?? 0;
    this.#lines.delete(socket);
  }
}

/** Stops reading from a connection: what it sends on waits in the system, and the client is slowed down. */
function readNoMore(socket: Socket): void {
  socket.pause();
  // Node's HTTP server reads on after each reply
  if (!socket.listeners('resume').includes(pauseAgain)) socket.on('resume', pauseAgain);
}

function readOn(socket: Socket): void {
  socket.off('resume', pauseAgain);
  socket.resume();
}

function pauseAgain(this: Socket): void {
  this.pause();
}
