import { canShareMemory } from '../../core/memory/allocator.ts';

const { copy } = Buffer.prototype;

/**
 * Copies bytes `start` to `end` of `source` to `target` from `at` on. From Node 22.12 on, `copy` is 1.3 to 3.3 times as
 * fast as `set`, most from shared memory. Before, it takes 1.4 times as long (300 bytes, busy AMD EPYC, November 2026).
 */
export const copyBytes: (source: Uint8Array, start: number, end: number, target: Buffer, at: number) => void =
  canShareMemory
    ? (source, start, end, target, at) => void copy.call(source, target, at, start, end)
    : (source, start, end, target, at) => target.set(source.subarray(start, end), at);
