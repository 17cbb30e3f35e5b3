/** Time for requests in progress to end with the store that they began with, in milliseconds. */
const delay = 1000;

/**
 * Lets V8 know of a store of this size that is not served any more, so that this thread collects it. V8 does not count
 * shared memory and would keep every store that was replaced. As many bytes of plain memory count; they are never
 * touched, so they take no resident memory.
 */
export function countReplaced(bytes: number): void {
  setTimeout(() => new ArrayBuffer(bytes), delay).unref();
}
