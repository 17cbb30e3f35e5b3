/** A store as flat arrays: what does not fit the manifest is an error that names the array. */
import { describe, expect, test } from 'vitest';
import { ArrayList, ArrayTable, arraysOver, viewsOf } from '../../src/store/flat-arrays.ts';

function threeArrays() {
  const list = new ArrayList();
  const codes = Uint32Array.of(1, 2, 3);
  list.add('thing/codes', codes);
  list.add('thing/values', Float64Array.of(0.5));
  list.add('thing/bytes', Uint8Array.of(7, 8));
  list.add('thing/sameCodes', codes);
  list.addNumber('thing/rowCount', 3);
  const { views, buffers } = viewsOf(list.arrays);
  return { manifest: list.manifest, arrays: list.arrays, views, buffers };
}

test('arrays are found by their names over the same buffers', () => {
  const { manifest, views, buffers } = threeArrays();
  const table = new ArrayTable(manifest, arraysOver(manifest, views, buffers));
  expect(table.uint32('thing/codes')).toEqual(Uint32Array.of(1, 2, 3));
  expect(table.uint32('thing/sameCodes')).toBe(table.uint32('thing/codes'));
  expect(table.float64('thing/values').buffer).toBe(buffers[1]);
  expect(table.bytes('thing/bytes')).toEqual(Buffer.of(7, 8));
  expect([table.has('thing/offsets'), table.hasNumber('thing/rowCount')]).toEqual([false, true]);
});

test('a name is given once', () => {
  const list = new ArrayList();
  list.add('thing/codes', new Uint32Array(1));
  list.addNumber('thing/rowCount', 1);
  expect(() => list.add('thing/codes', new Uint32Array(1))).toThrow('two arrays are named thing/codes');
  expect(() => list.addNumber('thing/rowCount', 2)).toThrow('two numbers are named thing/rowCount');
});

describe('an error names the array', () => {
  const { manifest, arrays, views, buffers } = threeArrays();
  const over = (changed: typeof views) => () => arraysOver(manifest, changed, buffers);

  test('that has no view or no buffer', () => {
    expect(over(views.slice(0, 2))).toThrow('array thing/bytes: there is no buffer for its 2 bytes');
    const elsewhere = [views[0], { buffer: 9, offset: 0 }, views[2]];
    expect(over(elsewhere)).toThrow('array thing/values: there is no buffer for its 8 bytes');
  });

  test('that its buffer does not hold', () => {
    const message = (offset: number) =>
      `array thing/codes: expected 3 items of uint32 at byte ${offset} of a buffer of 12`;
    for (const offset of [2, 4]) expect(over([{ buffer: 0, offset }, ...views.slice(1)])).toThrow(message(offset));
  });

  test('that has another kind or length', () => {
    const table = (changed: typeof arrays) => () => new ArrayTable(manifest, changed);
    const [codes, values, bytes] = arrays;
    expect(table([codes, values])).toThrow('expected 3 arrays, as the manifest describes, not 2');
    expect(table([codes, new Float64Array(4), bytes])).toThrow(
      'array thing/values: expected 1 items of float64, not 4 of float64',
    );
    expect(table([codes, values, new Uint16Array(2)])).toThrow(
      'array thing/bytes: expected 2 items of uint8, not 2 of uint16',
    );
  });

  test('that is missing or is asked for as another kind', () => {
    const table = new ArrayTable(manifest, arrays);
    expect(() => table.uint32('thing/offsets')).toThrow('the manifest has no array thing/offsets');
    expect(() => table.uint16('thing/codes')).toThrow('array thing/codes: expected uint16, not uint32');
    expect(() => table.number('thing/size')).toThrow('the manifest has no number thing/size');
  });
});
