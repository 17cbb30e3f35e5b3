import { expect, test } from 'vitest';
import { GrownRows } from '../../src/store/overlay/link-edit.ts';

test('adjacencies with the same rows share a set of patched rows', () => {
  const grown = new GrownRows();
  const set = grown.of(null, 1, 2);
  expect([...set.toArray()]).toEqual([1]);
  expect(grown.of(null, 1, 2)).toBe(set);
});

test('collections that shared a set have sets of their own once they differ in rows', () => {
  const shared = new GrownRows().of(null, 1, 2);
  const grown = new GrownRows();
  const longer = grown.of(shared, 2, 40);
  expect([...grown.of(shared, 2, 3).toArray()]).toEqual([1, 2]);
  expect(longer.toArray()).toHaveLength(39);
  expect(grown.of(shared, 2, 40)).toBe(longer);
});
