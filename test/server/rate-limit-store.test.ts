// The rate limit counts each caller separately over all threads, and addresses above a limit together.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Counters } from '../../src/server/rate-limit/counters.ts';
import { addressKey, createRateLimitMemory, RateLimitStore } from '../../src/server/rate-limit/rate-limit-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address = (number: number) => `${addressKey}10.0.${number >> 8}.${number & 255}`;
const hits = (counts: RateLimitStore, key: string) => counts.increment(key).totalHits;

/** Counters for 16 addresses, with one that all further addresses share. */
function small(counters = createRateLimitMemory(1, 1)): { counts: RateLimitStore; told: () => number } {
  let told = 0;
  return { counts: new RateLimitStore(60, () => told++, counters), told: () => told };
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
  expect(hits(counts, address(15))).toBe(2);
  expect(hits(counts, address(5000))).toBe(985);
  expect(counts.figures).toEqual({ addresses: 16, shared: 985 });
  expect(told()).toBe(1);
});

test('keeps the count of an address that gets its own counter after a flood', () => {
  const { counts, told } = small();
  hits(counts, address(0));
  vi.advanceTimersByTime(40_000);
  for (let n = 1; n < 16; n++) hits(counts, address(n));
  for (let i = 0; i < 50; i++) hits(counts, address(99));
  vi.advanceTimersByTime(20_000);
  // the window of address 0 has ended, which frees its counter
  expect(hits(counts, address(99))).toBe(51);
  expect(counts.figures).toEqual({ addresses: 16, shared: 50 });
  vi.advanceTimersByTime(40_000);
  expect(hits(counts, address(99))).toBe(1);
  expect(told()).toBe(1);
});

test('counts callers with known credentials apart from a flood of addresses', () => {
  const { counts } = small();
  for (let n = 0; n < 100; n++) hits(counts, address(n));
  for (let n = 0; n < 10; n++) expect(hits(counts, `user ${n}`)).toBe(1);
  expect(hits(counts, 'user 7')).toBe(2);
});

test('forgets all counters whose window has ended', () => {
  const { counts } = small();
  for (let n = 0; n < 16; n++) hits(counts, address(n));
  vi.advanceTimersByTime(60_000);
  hits(counts, address(99));
  expect(counts.figures.addresses).toBe(1);
});

test('counts a hundred thousand addresses, nearly all of them separately', () => {
  const { counts } = small(createRateLimitMemory());
  for (let n = 0; n < 100_000; n++) counts.increment(`${addressKey}${n}`);
  const { addresses, shared } = counts.figures;
  expect(addresses + shared).toBe(100_000);
  expect(shared).toBeLessThan(2500);
});

test('counts in the same memory from two places, and warns in one', () => {
  const counters = createRateLimitMemory(1, 1);
  const [one, two] = [small(counters), small(structuredClone(counters))];
  expect([one, two, one].map(({ counts }) => hits(counts, address(0)))).toEqual([1, 2, 3]);
  for (let n = 1; n < 100; n++) hits((n % 2 ? one : two).counts, address(n));
  expect(two.counts.figures).toEqual(one.counts.figures);
  expect(one.told() + two.told()).toBe(1);
});

test('counts no further than a counter can, and begins anew in the next window', () => {
  const counters = createRateLimitMemory(1, 1);
  const most = 2 ** 26 - 1;
  const own = new Counters(counters, 0, 1);
  const almost = () => ({ hits: most - 1, resets: Date.now() + 1000 });
  expect([1, 2].map(() => own.increment(0, Date.now(), almost).hits)).toEqual([most, most]);
  vi.advanceTimersByTime(1000);
  expect(own.isActive(0, Date.now())).toBe(false);
  expect(own.increment(0, Date.now(), () => ({ hits: 0, resets: Date.now() + 1000 })).hits).toBe(1);
});

test('counts windows that end years after the start of the process', () => {
  const { counts } = small();
  vi.advanceTimersByTime(7 * 365 * 24 * 3_600_000);
  expect([1, 1].map((n) => hits(counts, address(n)))).toEqual([1, 2]);
  expect(counts.increment(address(1)).resetTime!.getTime()).toBe(Date.now() + 60_000);
  vi.advanceTimersByTime(59_999);
  expect(hits(counts, address(1))).toBe(4);
  vi.advanceTimersByTime(1);
  expect(hits(counts, address(1))).toBe(1);
});
