import { describe, expect, test } from 'vitest';
import { firstHash, hashNumber, hashText } from '../../src/engine/caches/hash.ts';
import { SpentCosts } from '../../src/engine/caches/spent-costs.ts';

test('a thing is paid once earlier requests have spent its price', () => {
  const spent = new SpentCosts();
  expect([1, 2, 3, 4].map(() => spent.pay(7, 250, 100))).toEqual([false, false, false, true]);
  expect(spent.isPaid(7)).toBe(true);
  // evicted, it has to be paid again
  expect([1, 2, 3, 4].map(() => spent.pay(7, 250, 100))).toEqual([false, false, false, true]);
});

test('nothing is paid at its first request, not even what costs nothing', () => {
  const spent = new SpentCosts();
  expect(spent.isPaid(7)).toBe(false);
  expect(spent.pay(7, 0, 100)).toBe(false);
  expect(spent.isPaid(7)).toBe(false);
  expect(spent.pay(7, 0, 100)).toBe(true);
});

test('another hash in the same slot takes it, and begins with nothing', () => {
  const spent = new SpentCosts();
  const slots = 8191;
  spent.pay(7, 1000, 900);
  expect(spent.pay(7 + slots, 1000, 900)).toBe(false);
  expect(spent.pay(7, 1000, 900)).toBe(false);
});

describe('hashes', () => {
  const slots = (hashes: readonly number[]) => new Set(hashes.map((hash) => hash % 8191)).size;
  const numbers = Array.from({ length: 1000 }, (_, i) => i);

  test.each([
    ['small whole numbers', numbers.map((i) => hashNumber(firstHash, i))],
    ['decimals', numbers.map((i) => hashNumber(firstHash, i / 100))],
    ['dates', numbers.map((i) => hashNumber(firstHash, Date.UTC(2026, 0, i)))],
    ['texts', numbers.map((i) => hashText(firstHash, `article ${i}`))],
  ])('of a thousand %s fall into almost as many slots as random ones', (_, hashes) => {
    expect(new Set(hashes).size).toBe(1000);
    // a thousand random slots of 8,191 are 941 different ones on average
    expect(slots(hashes)).toBeGreaterThan(900);
  });

  test('depend on the order', () => {
    expect(hashText(hashText(firstHash, 'a'), 'b')).not.toBe(hashText(hashText(firstHash, 'b'), 'a'));
    expect(hashNumber(hashNumber(firstHash, 1), 2)).not.toBe(hashNumber(hashNumber(firstHash, 2), 1));
  });
});
