/**
 * Makes the arrays that a store keeps, so that one place decides what memory they are in. Arrays are zeroed, except
 * those of `bytes`.
 */
export interface Allocator {
  /** Memory for several arrays. It may be larger than an array can be. */
  memory(bytes: number): ArrayBufferLike;
  bytes(length: number): Buffer;
  uint8(length: number): Uint8Array;
  uint16(length: number): Uint16Array;
  uint32(length: number): Uint32Array;
  float64(length: number): Float64Array;
  bigint64(length: number): BigInt64Array;
}

/** Each array has an ArrayBuffer of its own, which can be transferred to another thread. */
export const heapAllocator: Allocator = {
  ...viewsOn((bytes) => new ArrayBuffer(bytes)),
  bytes: (length) => Buffer.allocUnsafeSlow(length),
};

/** Each array has a SharedArrayBuffer of its own, which several threads can read. */
export const sharedAllocator: Allocator = viewsOn((bytes) => new SharedArrayBuffer(bytes));

const [major, minor] = process.versions.node.split('.').map(Number);

/**
 * Whether stores may be in shared memory. Before 22.12, Node copies bytes out of it three to six times slower, and
 * several threads cannot listen on one port.
 */
export const canShareMemory = major > 22 || (major === 22 && minor >= 12);

/** Returns the allocator of a store. `isShared`: more than one thread will read the store. */
export function allocatorFor(isShared: boolean): Allocator {
  return isShared && canShareMemory ? sharedAllocator : heapAllocator;
}

function viewsOn<Memory extends ArrayBufferLike>(memory: (bytes: number) => Memory): Allocator {
  return {
    memory,
    bytes: (length) => Buffer.from(memory(length)),
    uint8: (length) => new Uint8Array(memory(length)),
    uint16: (length) => new Uint16Array(memory(length * 2)),
    uint32: (length) => new Uint32Array(memory(length * 4)),
    float64: (length) => new Float64Array(memory(length * 8)),
    bigint64: (length) => new BigInt64Array(memory(length * 8)),
  };
}
