import { expect, it } from 'vitest';
import { IdIndex } from '../../src/store/writer/rows/id-index.ts';

it.each([
  ['without gaps', [5, 6, 7, 8, 9]],
  ['with gaps', [1, 2, 5, 9, 12, 13]],
  ['out of order', [7, 3, 12, 4]],
  ['below zero, as those of rows without an id', [-9, -8, -3, 1]],
  ['of no rows', []],
])('finds the ordinals of ids %s, and of no others', (_, ids) => {
  const index = new IdIndex();
  for (const id of ids) expect(index.add(id)).toBe(true);
  for (let id = -12; id < 20; id++) expect(index.find(id)).toBe(ids.includes(id) ? ids.indexOf(id) : undefined);
  // a link of an export may have anything in place of an id
  for (const id of [undefined, null, Number.NaN, 5.5, '5']) expect(index.find(id as never)).toBeUndefined();
});
