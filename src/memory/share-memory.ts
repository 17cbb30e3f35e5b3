import { setImmediate as nextTurn } from 'node:timers/promises';

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

/** A step of work runs until this many milliseconds have passed. */
const stepMilliseconds = 1;

/** Runs a generator to its end, with turns of the event loop between its steps. */
export async function runInTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  let started = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - started < stepMilliseconds) continue;
    await nextTurn();
    started = performance.now();
  }
}

/** Runs a generator to its end, in this turn of the event loop. */
export function runAtOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
