import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { flushReplies } from '../http/write-batching.ts';
import { endReading, hasEndedReading, hasParser } from './end-reading.ts';

export interface QueueLimits {
  /** For which one turn of the event loop answers requests. It ends with the request that passes this. */
  readonly milliseconds: number;
  /** Requests that wait. */
  readonly requests: number;
  /** Bytes of memory of requests that wait. One request always may wait, whatever its size. */
  readonly bytes: number;
  /** Requests of one connection that wait. */
  readonly perConnection: number;
}

export interface QueueFigures {
  readonly waiting: number;
  /** Bytes of memory of the requests that wait. */
  readonly waitingBytes: number;
  /** Requests that were refused since the start. */
  readonly refused: number;
}

/** Answers a request for which there is no room; `closes` says whether its connection ends with the reply. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, closes: boolean) => void;

/** Requests that one turn answers: what a request does later in its turn is not seen in the time. */
const mostPerTurn = 256;

/** Turns in a row that accept connections and answer nothing. */
const longestAccepting = 128;

/** What Node's objects for a request and its response take, about, and a header besides its characters. */
const objectBytes = 1600;
const headerBytes = 72;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: RequestListener;
  readonly bytes: number;
}

/** The requests of one connection that wait. */
interface Line {
  readonly requests: Waiting[];
  /** Forgets the line when the connection closes. */
  readonly closed: () => void;
}

/**
 * Bounds the time for which one turn of the event loop answers requests, so that I/O and requests that pass the queue
 * by are not held up. While there is time left requests are answered at once. Others wait; the next turns answer one
 * of each connection in rotation, so that a connection gains nothing by pipelining.
 *
 * One turn accepts one connection. While connections are being accepted requests wait, for a bounded number of turns:
 * a new connection would otherwise wait for the replies to all that were established before it.
 */
export class RequestQueue {
  readonly #limits: QueueLimits;
  readonly #refuse: Refuse;
  /** In the order in which they are served next. */
  readonly #lines = new Map<Socket, Line>();
  /** Connections that were refused a request in this turn. */
  readonly #refusedNow = new Set<Socket>();
  #waiting = 0;
  #waitingBytes = 0;
  #refused = 0;
  #isTurn = false;
  #started = 0;
  /** Requests that this turn has answered. */
  #answered = 0;
  /** Whether this turn has accepted a connection. */
  #hasAccepted = false;
  /** Whether this turn answers nothing, since the one before has accepted a connection. */
  #isAccepting = false;
  /** Turns in a row that have answered nothing. */
  #passed = 0;

  constructor(limits: QueueLimits, refuse: Refuse) {
    this.#limits = limits;
    this.#refuse = refuse;
  }

  get figures(): QueueFigures {
    return { waiting: this.#waiting, waitingBytes: this.#waitingBytes, refused: this.#refused };
  }

  /** Calls `answer` now or later, or refuses the request. A request whose connection closes meanwhile is dropped. */
  run(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void {
    if (!this.#isTurn) this.#beginTurn();
    const isFree = this.#waiting === 0 && !this.#isAccepting && !this.#hasAccepted;
    if (!isFree || !this.#hasTime()) return this.#enqueue(request, response, answer);
    this.#answered++;
    answer(request, response);
  }

  /** Notes that a connection was accepted. The next turn is left to the next connection. */
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
    return this.#answered < mostPerTurn && performance.now() - this.#started < this.#limits.milliseconds;
  }

  readonly #endTurn = (): void => {
    this.#isTurn = false;
    this.#refusedNow.clear();
    this.#isAccepting = this.#hasAccepted && this.#passed < longestAccepting;
    this.#hasAccepted = false;
    this.#passed = this.#isAccepting ? this.#passed + 1 : 0;
    if (this.#waiting === 0 && !this.#isAccepting) return;
    // what is ready does not wait for what is answered now
    flushReplies();
    this.#beginTurn();
    if (this.#isAccepting) return;
    do this.#answerNext();
    while (this.#waiting > 0 && this.#hasTime());
  };

  #answerNext(): void {
    this.#answered++;
    const [socket, line] = this.#lines.entries().next().value!;
    const { request, response, answer, bytes } = line.requests.shift()!;
    this.#waiting--;
    this.#waitingBytes -= bytes;
    this.#lines.delete(socket);
    const { length } = line.requests;
    if (length > 0) this.#lines.set(socket, line);
    else socket.off('close', line.closed);
    if (length === 1 && !hasEndedReading(socket)) readOn(socket);
    answer(request, response);
  }

  #enqueue(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void {
    const { socket } = request;
    if (socket.destroyed) return;
    let line = this.#lines.get(socket);
    const bytes = heldBytes(request);
    if (!this.#hasRoom(bytes) || (line && line.requests.length >= this.#limits.perConnection)) {
      return this.#refuseOne(request, response);
    }
    if (!line) {
      line = { requests: [], closed: () => this.#drop(socket) };
      this.#lines.set(socket, line);
      socket.once('close', line.closed);
    }
    line.requests.push({ request, response, answer, bytes });
    this.#waiting++;
    this.#waitingBytes += bytes;
    if (line.requests.length === 2) readNoMore(socket);
  }

  #hasRoom(bytes: number): boolean {
    if (this.#waiting === 0) return true;
    return this.#waiting < this.#limits.requests && this.#waitingBytes + bytes <= this.#limits.bytes;
  }

  /** Refuses a request. A connection that has sent several ends, so that each costs one refusal. */
  #refuseOne(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const closes = this.#lines.has(socket) || this.#refusedNow.has(socket);
    this.#refused++;
    this.#refusedNow.add(socket);
    if (closes) {
      readNoMore(socket);
      endReading(socket);
    }
    this.#refuse(request, response, closes);
  }

  #drop(socket: Socket): void {
    for (const { bytes } of this.#lines.get(socket)?.requests ?? []) {
      this.#waiting--;
      this.#waitingBytes -= bytes;
    }
    this.#lines.delete(socket);
  }
}

/** Bytes of memory that a request takes while it waits, about. */
function heldBytes({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = objectBytes + url.length + (rawHeaders.length / 2) * headerBytes;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Stops reading from a connection: what it sends on waits in the system, and the client is slowed down. */
function readNoMore(socket: Socket): void {
  socket.pause();
  // Node's HTTP server reads on after each reply
  if (!socket.listeners('resume').includes(pauseAgain)) socket.on('resume', pauseAgain);
}

function readOn(socket: Socket): void {
  socket.off('resume', pauseAgain);
  // Node's HTTP server, which has started each read past the stream, may have left the connection: after CONNECT and
  // upgrades. The stream still takes its own first read to be under way.
  if (!hasParser(socket)) socket.push('');
  socket.resume();
}

function pauseAgain(this: Socket): void {
  this.pause();
}
