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
