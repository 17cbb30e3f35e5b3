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

/** Each array has an ArrayBuffer of its own. */
export const heapAllocator: Allocator = {
  memory: (bytes) => new ArrayBuffer(bytes),
  bytes: (length) => Buffer.allocUnsafeSlow(length),
  uint8: (length) => new Uint8Array(length),
  uint16: (length) => new Uint16Array(length),
  uint32: (length) => new Uint32Array(length),
  float64: (length) => new Float64Array(length),
  bigint64: (length) => new BigInt64Array(length),
};
