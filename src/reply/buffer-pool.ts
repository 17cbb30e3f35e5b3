/**
 * Memory for the bodies of replies, used again when a body has been sent. New memory costs more than all that is
 * written into it: the system clears each page of it when it is first touched, and the collector has to be called for
 * it.
 */

/** A room has one of these sizes, in bytes. What is larger than the largest gets memory of its own. */
const sizes = [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20];

/** So many bytes of rooms of one size are kept ready. */
const readyBytes = 2 ** 22;

const ready: Buffer[][] = sizes.map(() => []);

/** The memory of rooms that are in use: each can be given back once. */
const lent = new WeakSet<ArrayBufferLike>();

/** A buffer of at least so many bytes. What is in it is left from others. */
export function acquireBuffer(bytes: number): Buffer {
  const size = sizes.findIndex((each) => each >= bytes);
  if (size < 0) return Buffer.allocUnsafeSlow(bytes);
  const room = ready[size].pop() ?? Buffer.allocUnsafeSlow(sizes[size]);
  lent.add(room.buffer);
  return room;
}

/** Whether a body stands in a room that has not been given back. */
export function isPooled({ buffer }: Buffer): boolean {
  return lent.has(buffer);
}

/**
 * Gives the room back that a body stands in: nobody may read the body any more. Bodies that stand in no room are left
 * alone, and a room that is never given back is collected like any other memory.
 */
export function releaseBuffer({ buffer }: Buffer): void {
  if (!lent.delete(buffer)) return;
  const size = sizes.indexOf(buffer.byteLength);
  if ((ready[size].length + 1) * sizes[size] <= readyBytes) ready[size].push(Buffer.from(buffer));
}

/** The same bytes with nothing around them, for one who keeps them; where they stood in a room, it is given back. */
export function copyOut(bytes: Buffer): Buffer {
  if (!isPooled(bytes) && bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  releaseBuffer(bytes);
  return copy;
}
