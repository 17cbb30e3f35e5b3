import type { DescribedSnapshot } from '../load/described-snapshot.ts';

/** Time for requests in progress to end with the store that they began with, in milliseconds. */
const delay = 1000;

/**
 * Lets V8 know of a replaced store, so that this thread collects it. V8 does not count shared memory and would keep a
 * store for each reload. As many bytes of plain memory count; they are never touched, so they take no resident memory.
 */
export function countReplaced({ content }: DescribedSnapshot): void {
  const bytes = content.buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  setTimeout(() => new ArrayBuffer(bytes), delay).unref();
}
