/**
 * Pool of buffers for the bodies of replies. Fresh memory costs more than everything that is written into it: the
 * system clears each page on first touch, and the garbage collector runs for it.
 */

/** Sizes of pooled buffers, in bytes. A larger buffer is not pooled. */
const sizes = [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20];

/** Bytes of idle buffers of one size. */
const maximumIdleBytes = 2 ** 22;

const idle: Buffer[][] = sizes.map(() => []);

/** The memory of pooled buffers that are in use. Each can be released once. */
const inUse = new WeakSet<ArrayBufferLike>();

/** Returns a buffer of at least this many bytes, with undefined contents. */
export function acquireBuffer(bytes: number): Buffer {
  const size = sizes.findIndex((each) => each >= bytes);
  if (size < 0) return Buffer.allocUnsafeSlow(bytes);
  const buffer = idle[size].pop() ?? Buffer.allocUnsafeSlow(sizes[size]);
  inUse.add(buffer.buffer);
  return buffer;
}

/** Returns whether a body is in a pooled buffer that has not been released. */
export function isPooled({ buffer }: Buffer): boolean {
  return inUse.has(buffer);
}

/**
 * Returns the buffer of a body to the pool. Nobody may read the body afterwards. Does nothing for bodies outside the
 * pool. A buffer that is never released is garbage-collected.
 */
export function releaseBuffer({ buffer }: Buffer): void {
  if (!inUse.delete(buffer)) return;
  const size = sizes.indexOf(buffer.byteLength);
  if ((idle[size].length + 1) * sizes[size] <= maximumIdleBytes) idle[size].push(Buffer.from(buffer));
}

/** Returns a body in memory of exactly its size, to be kept. Releases the buffer that it was in. */
export function copyOut(bytes: Buffer): Buffer {
  if (!isPooled(bytes) && bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  releaseBuffer(bytes);
  return copy;
}
