import { expect, test } from 'vitest';
import { heapAllocator } from '../../src/core/memory/allocator.ts';
import { JsonRows } from '../../src/store/json-rows.ts';

const names = ['id', 'name'];
const bytes = Buffer.from('"id":1,"name":"Ada""id":2,"name":null');
const rows = JsonRows.at(bytes, Uint32Array.of(0, 6, 19, 19, 25, 37), names);

test('a value of a row is decoded', () => {
  expect([rows.value(0, 'id'), rows.value(0, 'name'), rows.value(1, 'id'), rows.value(1, 'name')]).toEqual([
    1,
    'Ada',
    2,
    null,
  ]);
});

test('the value of an attribute that the rows lack is an error', () => {
  expect(() => rows.value(1, 'nmae')).toThrow('nmae');
});

test('rows that are in another order than their bytes have their places', () => {
  const other = JsonRows.at(bytes, Uint32Array.of(0, 6, 19, 19, 25, 37), names, heapAllocator, Uint32Array.of(1, 0));
  expect([other.value(0, 'name'), other.value(1, 'name')]).toEqual([null, 'Ada']);
  expect([other.bounds(0), other.bounds(1)]).toEqual([
    [19, 37],
    [0, 19],
  ]);
});

test.each([
  [2 ** 16 - 1, Uint16Array],
  [2 ** 16, Uint32Array],
])('a row of %i bytes has its offsets in a %o', (length, kind) => {
  const start = '"id":1,"name":"';
  const long = Buffer.from(`${start}${'x'.repeat(length - start.length - 1)}"${bytes}`);
  const places = Uint32Array.of(0, 6, length, length, length + 6, length + 19, length + 19, length + 25, length + 37);
  const three = JsonRows.at(long, places, names);
  expect(three.offsets).toBeInstanceOf(kind);
  expect([three.bytesOf(0), (three.value(0, 'name') as string).length]).toEqual([length, length - start.length - 1]);
  expect([three.value(1, 'name'), three.value(2, 'name')]).toEqual(['Ada', null]);
  const copies = [2, 0, 1].map((row) => three.copyOf(row));
  const joined = JsonRows.joined(copies);
  expect(joined.split().map((row) => row.value(0, 'id'))).toEqual([2, 1, 1]);
  expect(joined.value(0, 'name')).toBe(null);
});

test('no rows are joined', () => {
  expect(JsonRows.joined([]).split()).toEqual([]);
});
