// The rate limit counts each caller separately, and addresses above a limit together.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addressKey, RequestCounts } from '../../src/server/request-counts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address = (number: number) => `${addressKey}10.0.${number >> 8}.${number & 255}`;
const hits = (counts: RequestCounts, key: string) => counts.increment(key).totalHits;

/** Counters for four addresses, with one that all further addresses share. */
function small(): { counts: RequestCounts; told: () => number } {
  let told = 0;
  return { counts: new RequestCounts(60, () => told++, 4, 1), told: () => told };
}

test('counts each caller separately in its own windows', () => {
  const { counts } = small();
  expect([1, 1, 2, 1].map((n) => hits(counts, address(n)))).toEqual([1, 2, 1, 3]);
  vi.advanceTimersByTime(30_000);
  expect(hits(counts, address(3))).toBe(1);
  vi.advanceTimersByTime(30_000);
  expect(hits(counts, address(1))).toBe(1);
  expect(hits(counts, address(3))).toBe(2);
  expect(counts.increment(address(3)).resetTime!.getTime()).toBe(Date.now() + 30_000);
});

test('counts a flood of addresses together and keeps the counts of others', () => {
  const { counts, told } = small();
  for (let i = 0; i < 9; i++) hits(counts, address(0));
  for (let n = 1; n < 1000; n++) hits(counts, address(n));
  expect(hits(counts, address(0))).toBe(10);
  expect(hits(counts, address(2))).toBe(2);
  expect(hits(counts, address(5000))).toBe(997);
  expect(counts.figures).toEqual({ addresses: 4, shared: 997 });
  expect(told()).toBe(1);
});

test('keeps the count of an address that gets its own counter after a flood', () => {
  const { counts, told } = small();
  hits(counts, address(0));
  vi.advanceTimersByTime(40_000);
  for (let n = 1; n < 4; n++) hits(counts, address(n));
  for (let i = 0; i < 50; i++) hits(counts, address(9));
  vi.advanceTimersByTime(20_000);
  // the window of address 0 has ended, which frees its counter
  expect(hits(counts, address(9))).toBe(51);
  expect(counts.figures).toEqual({ addresses: 4, shared: 50 });
  vi.advanceTimersByTime(40_000);
  expect(hits(counts, address(9))).toBe(1);
  expect(told()).toBe(1);
});

test('never counts callers with known credentials together with others', () => {
  const { counts } = small();
  for (let n = 0; n < 100; n++) hits(counts, address(n));
  for (let n = 0; n < 100; n++) expect(hits(counts, `user ${n}`)).toBe(1);
  expect(hits(counts, 'user 7')).toBe(2);
});

test('forgets all counters whose window has ended', () => {
  const { counts } = small();
  for (let n = 0; n < 4; n++) hits(counts, address(n));
  vi.advanceTimersByTime(60_000);
  hits(counts, address(9));
  expect(counts.figures.addresses).toBe(1);
});
