import { expect, test } from 'vitest';
import { JsonRows } from '../../src/store/json-rows.ts';

const rows = new JsonRows(Buffer.from('"id":1,"name":"Ada""id":2,"name":null'), Uint32Array.of(0, 6, 19, 19, 25, 37), [
  'id',
  'name',
]);

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
