import fc from 'fast-check';
import { expect, test } from 'vitest';
import { preview } from '../../src/core/problems.ts';

test('is the beginning of the JSON of a value', () => {
  const whole = (value: unknown) => {
    const text = JSON.stringify(value);
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => preview(value) === whole(value)),
    { seed: 5, numRuns: 2000 },
  );
  for (const length of [0, 38, 39, 40, 41, 77, 78, 79, 80, 81, 200]) {
    const values = [[], {}, 'x', 0, null].map((item) => Array(length).fill(item));
    for (const value of [...values, 'é'.repeat(length), { ['k'.repeat(length)]: length }]) {
      expect(preview(value)).toBe(whole(value));
    }
  }
  expect([preview(undefined), preview(new Date(0)), preview(Number.NaN)]).toEqual([
    'undefined',
    '"1970-01-01T00:00:00.000Z"',
    'null',
  ]);
});

test('survives any depth and cycles', () => {
  let deep: unknown[] = [];
  for (let level = 0; level < 1_000_000; level++) deep = [deep];
  expect(preview(deep)).toBe(`${'['.repeat(77)}...`);
  expect(preview({ toJSON: 1, deep })).toMatch(/^\{"toJSON":1,"deep":\[.*\.\.\.$/);
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  expect(preview(cyclic)).toMatch(/^\{"self":\{"self":.*\.\.\.$/);
});

test('looks at the beginning of a value only', () => {
  let reads = 0;
  const counting = new Proxy(Array(10_000).fill(0), {
    get: (target, key) => {
      reads++;
      return Reflect.get(target, key);
    },
  });
  preview(counting);
  expect(reads).toBeLessThan(400);
  reads = 0;
  preview({ toJSON: 'a text', counting });
  expect(reads).toBeLessThan(400);
});

test('lists the keys of few objects', () => {
  let lists = 0;
  const ownKeys = (target: object) => {
    lists++;
    return Reflect.ownKeys(target);
  };
  let nested: object = {};
  for (let level = 0; level < 200; level++) {
    nested = new Proxy({ '': nested }, { ownKeys });
  }
  expect(preview(nested)).toBe(`${'{"":'.repeat(20).slice(0, 77)}...`);
  expect(lists).toBeLessThanOrEqual(21);
});
