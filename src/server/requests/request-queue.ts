import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { flushReplies } from '../../http/write-batching.ts';
import { endReading, hasEndedReading } from '../node-internals.ts';

export interface QueueLimits {
  /** Time for which one turn of the event loop answers requests. The turn ends after the request that exceeds it. */
  readonly milliseconds: number;
  /** Maximum number of queued and held requests. */
  readonly requests: number;
  /** Maximum memory of these requests, in bytes. A request of any size is accepted if there is no other. */
  readonly bytes: number;
  /** Maximum number of these requests per connection. */
  readonly perConnection: number;
}

export interface QueueFigures {
  /** Queued and held requests. */
  readonly waiting: number;
  /** Their memory, in bytes. */
  readonly waitingBytes: number;
  /** Requests that were rejected since the start. */
  readonly refused: number;
}

/** Answers a request that does not fit into the queue. If `closes` is true, the reply must end the connection. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, closes: boolean) => void;

/** Maximum number of requests per turn. The time limit does not cover work that a request defers within the turn. */
const maxPerTurn = 256;

/** Maximum number of consecutive turns that only accept connections. */
const maxAcceptingTurns = 128;

/**
 * The part of the queue that held requests may take. They cost their clients nothing, and the first request of a new
 * connection is always queued.
 */
const heldShare = 1 / 2;

/** Approximate memory of Node's request and response objects, and of a header in addition to its characters. */
const objectBytes = 1600;
const headerBytes = 72;

/** Approximate memory of the timer and the listeners of a held request. */
const heldBytes = 1800;

interface QueuedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: RequestListener;
  readonly bytes: number;
}

/** The queued requests of one connection. */
interface ConnectionQueue {
  readonly requests: QueuedRequest[];
  /** Drops the queue when the connection closes. */
  readonly onClose: () => void;
}

/**
 * Limits the time for which one turn of the event loop answers requests, so that I/O and requests that bypass the queue
 * are not delayed. Within the limit, requests are answered at once. Other requests are queued. The next turns serve
 * connections round-robin, so a connection gains nothing by pipelining.
 *
 * Each turn accepts one connection. While connections arrive, requests wait for a bounded number of turns. Otherwise a
 * new connection would wait for the replies to all earlier ones.
 */
export class RequestQueue {
  readonly #limits: QueueLimits;
  readonly #refuse: Refuse;
  /** Queues by connection, in the order of service. */
  readonly #queues = new Map<Socket, ConnectionQueue>();
  /** The numbers of held requests, by connection. */
  readonly #held = new WeakMap<Socket, number>();
  /** Connections with a rejected request in this turn. */
  readonly #refusedNow = new Set<Socket>();
  #heldRequests = 0;
  #heldBytes = 0;
  /** Queued and held requests. */
  #waiting = 0;
  #waitingBytes = 0;
  #refused = 0;
  #isTurn = false;
  #started = 0;
  /** Requests answered in this turn. */
  #answered = 0;
  /** Whether this turn has accepted a connection. */
  #hasAccepted = false;
  /** Whether this turn answers nothing because the previous one accepted a connection. */
  #isAccepting = false;
  /** Consecutive turns that only accepted connections. */
  #acceptingTurns = 0;

  constructor(limits: QueueLimits, refuse: Refuse) {
    this.#limits = limits;
    this.#refuse = refuse;
  }

  get figures(): QueueFigures {
    return { waiting: this.#waiting, waitingBytes: this.#waitingBytes, refused: this.#refused };
  }

  /** Calls `answer` now or later, or rejects the request. Drops a queued request if its connection closes. */
  admit(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void {
    if (!this.#isTurn) this.#beginTurn();
    const isFree = this.#queues.size === 0 && !this.#isAccepting && !this.#hasAccepted;
    if (!isFree || !this.#hasTime()) return this.#enqueue(request, response, answer);
    this.#answered++;
    answer(request, response);
  }

  /**
   * Takes a place for a request that is not ready to be admitted. Returns a function that gives the place back, or null
   * after it has rejected the request.
   */
  hold(request: IncomingMessage, response: ServerResponse): (() => void) | null {
    const { socket } = request;
    const bytes = memoryOf(request) + heldBytes;
    if (!this.#hasPlace(socket, bytes) || !this.#mayHold(bytes)) {
      this.#refuseOne(request, response);
      return null;
    }
    this.#addHeld(socket, 1, bytes);
    return () => this.#addHeld(socket, -1, -bytes);
  }

  #mayHold(bytes: number): boolean {
    const { requests, bytes: most } = this.#limits;
    if (this.#heldRequests === 0) return true;
    return this.#heldRequests < requests * heldShare && this.#heldBytes + bytes <= most * heldShare;
  }

  #addHeld(socket: Socket, count: number, bytes: number): void {
    this.#held.set(socket, this.#heldOf(socket) + count);
    this.#heldRequests += count;
    this.#heldBytes += bytes;
    this.#waiting += count;
    this.#waitingBytes += bytes;
  }

  #heldOf(socket: Socket): number {
    return this.#held.get(socket) ?? 0;
  }

  /** Records that a connection was accepted. The next turn is left free to accept another one. */
  accepted(): void {
    this.#hasAccepted = true;
    if (!this.#isTurn) this.#beginTurn();
  }

  #beginTurn(): void {
    this.#isTurn = true;
    this.#started = performance.now();
    this.#answered = 0;
    setImmediate(this.#endTurn);
  }

  #hasTime(): boolean {
    return this.#answered < maxPerTurn && performance.now() - this.#started < this.#limits.milliseconds;
  }

  readonly #endTurn = (): void => {
    this.#isTurn = false;
    this.#refusedNow.clear();
    this.#isAccepting = this.#hasAccepted && this.#acceptingTurns < maxAcceptingTurns;
    this.#hasAccepted = false;
    this.#acceptingTurns = this.#isAccepting ? this.#acceptingTurns + 1 : 0;
    if (this.#queues.size === 0 && !this.#isAccepting) return;
    // send finished replies before answering further requests
    flushReplies();
    this.#beginTurn();
    if (this.#isAccepting) return;
    do this.#answerNext();
    while (this.#queues.size > 0 && this.#hasTime());
  };

  #answerNext(): void {
    this.#answered++;
    const [socket, queue] = this.#queues.entries().next().value!;
    const { request, response, answer, bytes } = queue.requests.shift()!;
    this.#waiting--;
    this.#waitingBytes -= bytes;
    this.#queues.delete(socket);
    const { length } = queue.requests;
    if (length > 0) this.#queues.set(socket, queue);
    else socket.off('close', queue.onClose);
    if (length === 1 && !hasEndedReading(socket)) resumeReading(socket);
    answer(request, response);
  }

  #enqueue(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const bytes = memoryOf(request);
    if (!this.#hasPlace(socket, bytes)) return this.#refuseOne(request, response);
    let queue = this.#queues.get(socket);
    if (!queue) {
      queue = { requests: [], onClose: () => this.#drop(socket) };
      this.#queues.set(socket, queue);
      socket.once('close', queue.onClose);
    }
    queue.requests.push({ request, response, answer, bytes });
    this.#waiting++;
    this.#waitingBytes += bytes;
    if (queue.requests.length === 2) pauseReading(socket);
  }

  #hasPlace(socket: Socket, bytes: number): boolean {
    if (this.#waiting === 0) return true;
    const ofConnection = (this.#queues.get(socket)?.requests.length ?? 0) + this.#heldOf(socket);
    if (ofConnection >= this.#limits.perConnection) return false;
    return this.#waiting < this.#limits.requests && this.#waitingBytes + bytes <= this.#limits.bytes;
  }

  /** Rejects a request. Ends the connection if it has other queued, held or rejected requests. */
  #refuseOne(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const closes = this.#queues.has(socket) || this.#heldOf(socket) > 0 || this.#refusedNow.has(socket);
    this.#refused++;
    this.#refusedNow.add(socket);
    if (closes) {
      pauseReading(socket);
      endReading(socket);
    }
    this.#refuse(request, response, closes);
  }

  #drop(socket: Socket): void {
    for (const { bytes } of this.#queues.get(socket)?.requests ?? []) {
      this.#waiting--;
      this.#waitingBytes -= bytes;
    }
    this.#queues.delete(socket);
  }
}

/** Returns the approximate memory of a queued request, in bytes. */
function memoryOf({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = objectBytes + url.length + (rawHeaders.length / 2) * headerBytes;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Stops reading from a connection, so that TCP flow control slows down the client. */
function pauseReading(socket: Socket): void {
  socket.pause();
  // Node's HTTP server resumes the socket after each reply
  if (!socket.listeners('resume').includes(pauseAgain)) socket.on('resume', pauseAgain);
}

function resumeReading(socket: Socket): void {
  socket.off('resume', pauseAgain);
  socket.resume();
}

function pauseAgain(this: Socket): void {
  this.pause();
}
