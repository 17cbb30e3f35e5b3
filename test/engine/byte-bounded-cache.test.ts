import { expect, test } from 'vitest';
import { ByteBoundedCache } from '../../src/core/byte-bounded-cache.ts';

const cacheOf = (maxSize: number, maxEntrySize?: number) =>
  new ByteBoundedCache<Uint8Array>(maxSize, ({ length }) => length, { maxEntrySize });
const bytes = (length: number) => new Uint8Array(length);

test('counts hits, misses, and the bytes of key, value and overhead', () => {
  const cache = cacheOf(10_000);
  const value = bytes(500);
  expect(cache.get('key')).toBeUndefined();
  cache.set('key', value);
  expect(cache.get('key')).toBe(value);
  expect(cache.statistics).toEqual({ hits: 1, misses: 1, bytes: 500 + 2 * 3 + 1024 });
});

test('evicts the entry that was used least recently', () => {
  const cache = cacheOf(3 * 1100);
  for (const key of ['a', 'b', 'c']) cache.set(key, bytes(50));
  cache.get('a');
  cache.set('d', bytes(50));
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
  expect(cache.statistics.bytes).toBeLessThanOrEqual(3 * 1100);
});

test('does not keep a value above the maximum for one entry', () => {
  const cache = cacheOf(10_000, 2000);
  cache.set('large', bytes(2000));
  cache.set('small', bytes(100));
  expect(cache.get('large')).toBeUndefined();
  expect(cache.get('small')).toBeDefined();
});

test('keeps nothing without bytes', () => {
  const cache = cacheOf(0);
  cache.set('key', bytes(1));
  expect(cache.get('key')).toBeUndefined();
  expect(cache.statistics).toEqual({ hits: 0, misses: 1, bytes: 0 });
});

test('is full if another value of average size would evict one', () => {
  const cache = cacheOf(3 * 1100);
  expect(cache.isFull).toBe(false);
  for (const key of ['a', 'b']) cache.set(key, bytes(50));
  expect(cache.isFull).toBe(false);
  cache.set('c', bytes(50));
  expect(cache.isFull).toBe(true);
  expect(cacheOf(0).isFull).toBe(false);
});

test('reports each key that it evicts or does not keep, but not one that gets a new value', () => {
  const evicted: object[] = [];
  const onEvict = (key: object) => evicted.push(key);
  const cache = new ByteBoundedCache<number, object>(3 * 1100, (size) => size, { onEvict });
  const keys = Array.from({ length: 6 }, (_, i) => ({ i }));
  for (const key of keys.slice(0, 4)) cache.set(key, 50);
  cache.set(keys[3], 60);
  expect(evicted).toEqual([keys[0]]);
  cache.set(keys[4], 5000);
  expect(evicted).toEqual([keys[0], keys[4]]);
  cache.resize(2 * 1100);
  expect(evicted).toEqual([keys[0], keys[4], keys[1]]);
  cache.resize(0);
  expect(evicted.slice(3)).toEqual(expect.arrayContaining([keys[2], keys[3]]));
  cache.set(keys[5], 50);
  expect(evicted.slice(5)).toEqual([keys[5]]);
  expect(cache.has(keys[5])).toBe(false);
});
