import { canShareMemory } from '../memory/allocator.ts';

const { copy } = Buffer.prototype;

/**
 * Copies bytes `start` to `end` of `source` to `target` from `at` on. 300 bytes of shared memory take 119 ns by `set` and
 * 94 by `copy` on Node 22, 248 and 75 on Node 24; of plain memory 48 and 35, 74 and 54. On Node 20, where no store is in
 * shared memory, `set` takes 96 ns and `copy` 132 (busy AMD EPYC, November 2026).
 */
export const copyBytes: (source: Uint8Array, start: number, end: number, target: Buffer, at: number) => void =
  canShareMemory
    ? (source, start, end, target, at) => void copy.call(source, target, at, start, end)
    : (source, start, end, target, at) => target.set(source.subarray(start, end), at);
