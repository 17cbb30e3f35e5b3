/** Memory that one thread hands to another, piece by piece. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort, Worker } from 'node:worker_threads';

interface MemoryMessage {
  readonly kind: 'memory';
  readonly buffers: readonly ArrayBufferLike[];
}

/**
 * Memory in one message. V8 collects garbage each time that a thread has received some 100 MB, so that one message with
 * all memory would stop the thread for several collections.
 */
const messageBytes = 2 ** 25;

/** Buffers up to this size are copied. Stores have small ones in common, such as that of an empty list. */
const copiedWhole = 64;

/** Sends memory: each piece when the last one has been received. It is moved, unless it is shared or small. */
export async function sendMemory(port: MessagePort, buffers: readonly ArrayBufferLike[]): Promise<void> {
  for (const piece of piecesOf(buffers)) {
    const received = once(port, 'message');
    const message: MemoryMessage = { kind: 'memory', buffers: piece };
    port.postMessage(
      message,
      piece.flatMap((buffer) => (buffer instanceof ArrayBuffer && buffer.byteLength > copiedWhole ? [buffer] : [])),
    );
    await received;
  }
}

/** Splits a list into pieces of `messageBytes`, or of one larger buffer. Keeps the order. */
function piecesOf(buffers: readonly ArrayBufferLike[]): ArrayBufferLike[][] {
  const pieces: ArrayBufferLike[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const buffer of buffers) {
    if (bytes + buffer.byteLength > messageBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(buffer);
    bytes += buffer.byteLength;
  }
  return pieces;
}

/** A thread that ended before its last message. */
export class EndedEarly extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`the thread ended early, with code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * Receives what a thread sends on its port: memory, and then one other message. Rejects with an error of the thread, or
 * with an EndedEarly.
 */
export function receiveMemory<Last extends { readonly kind: string }>(
  worker: Worker,
  port: Worker | MessagePort = worker,
): Promise<{ last: Last; buffers: ArrayBufferLike[] }> {
  const buffers: ArrayBufferLike[] = [];
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      for (const [name, listener] of Object.entries(portListeners)) port.off(name, listener);
      for (const [name, listener] of Object.entries(workerListeners)) worker.off(name, listener);
      finish();
    };
    const portListeners = {
      message: (message: MemoryMessage | Last) => {
        if (message.kind !== 'memory') return settle(() => resolve({ last: message as Last, buffers }));
        buffers.push(...(message as MemoryMessage).buffers);
        port.postMessage('received');
      },
      messageerror: (error: Error) => settle(() => reject(error)),
    };
    const workerListeners = {
      error: (error: Error) => settle(() => reject(error)),
      exit: (code: number) => settle(() => reject(new EndedEarly(code))),
    };
    for (const [name, listener] of Object.entries(portListeners)) port.on(name, listener);
    for (const [name, listener] of Object.entries(workerListeners)) worker.on(name, listener);
  });
}

/** Bytes that are copied in one turn of the event loop. It takes about a millisecond. */
const copiedBytes = 2 ** 22;

/** Returns the same bytes in shared memory. Copies those that are not shared, piece by piece between other work. */
export async function shareMemory(buffers: readonly ArrayBufferLike[]): Promise<SharedArrayBuffer[]> {
  const shared: SharedArrayBuffer[] = [];
  let copied = 0;
  for (const buffer of buffers) {
    if (buffer instanceof SharedArrayBuffer) {
      shared.push(buffer);
      continue;
    }
    const copy = new SharedArrayBuffer(buffer.byteLength);
    for (let start = 0; start < buffer.byteLength; start += copiedBytes) {
      const length = Math.min(copiedBytes, buffer.byteLength - start);
      new Uint8Array(copy, start, length).set(new Uint8Array(buffer, start, length));
      copied += length;
      if (copied < copiedBytes) continue;
      copied = 0;
      await nextTurn();
    }
    shared.push(copy);
  }
  return shared;
}
