import { expect, test } from 'vitest';
import { AdmissionFilter } from '../../src/engine/caches/admission-filter.ts';

test('a text was seen before from the second time on', () => {
  const filter = new AdmissionFilter();
  expect(filter.seenBefore('a')).toBe(false);
  expect(filter.seenBefore('a')).toBe(true);
  expect(filter.seenBefore('a')).toBe(true);
  expect(filter.seenBefore('b')).toBe(false);
  expect(filter.seenBefore('')).toBe(false);
  expect(filter.seenBefore('')).toBe(true);
});

test('most of a thousand texts are remembered, and the oldest of many are forgotten', () => {
  const filter = new AdmissionFilter();
  const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `/api/articles/${from + i}`);
  const seen = (some: readonly string[]) => some.filter((text) => filter.seenBefore(text)).length;
  expect(seen(texts(0, 1000))).toBe(0);
  expect(seen(texts(0, 1000))).toBeGreaterThan(900);
  seen(texts(1000, 500_000));
  expect(seen(texts(0, 1000))).toBeLessThan(10);
});

test('a full cache keeps one of 64 texts that were seen before, another keeps each', () => {
  const filter = new AdmissionFilter();
  const admitted = (isFull: boolean) =>
    Array.from({ length: 640 }, () => filter.admits('/api/articles', isFull)).filter(Boolean).length;
  expect(filter.admits('/api/articles', false)).toBe(false);
  expect(admitted(false)).toBe(640);
  expect(admitted(true)).toBe(10);
});
