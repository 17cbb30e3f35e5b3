import { expect, test } from 'vitest';
import type { ScalarAttribute, ScalarType } from '../../src/model/schema/schema.ts';
import { toleratedValue } from '../../src/model/schema/tolerated-values.ts';

const attribute = (type: ScalarType): ScalarAttribute => ({
  kind: 'scalar',
  name: 'x',
  type,
  private: false,
  searchable: true,
  values: type === 'enumeration' ? ['a'] : undefined,
});

test.each<[ScalarType, unknown, unknown, unknown]>([
  ['boolean', 1, true, 1],
  ['boolean', 'f', false, 0],
  ['boolean', 'yes', 'yes', undefined],
  ['integer', '12', 12, 12],
  ['integer', 1.5, 1.5, 1.5],
  ['float', ' ', ' ', undefined],
  ['date', '2001-02-03T04:05:06Z', '2001-02-03', 981_158_400_000],
  ['datetime', '2001-02-03T04:05:06', '2001-02-03T04:05:06.000Z', 981_173_106_000],
  ['datetime', true, true, undefined],
  ['enumeration', 'removed', 'removed', 'removed'],
  ['string', 12, '12', '12'],
  ['string', { a: 1 }, { a: 1 }, undefined],
  ['blocks', 'text', 'text', true],
])('a wrong value of type %s, %j, is served as %j and compared as %j', (type, value, served, comparable) => {
  expect(toleratedValue(attribute(type), value)).toEqual({ value: served, comparable });
});

test('JSON beyond the limits is not tolerated', () => {
  let deep: unknown = 1;
  for (let i = 0; i <= 200; i++) deep = [deep];
  expect(toleratedValue(attribute('json'), deep)).toBeUndefined();
});
