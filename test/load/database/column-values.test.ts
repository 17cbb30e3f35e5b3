/** Values of columns are read as the fields of @strapi/database read them from SQLite. */
import { expect, test } from 'vitest';
import type { DatabaseValue } from '../../../src/load/database/database.ts';
import { readValue } from '../../../src/load/database/row-values.ts';
import { sqliteDialect } from '../../../src/load/database/sqlite/sqlite-dialect.ts';
import type { ScalarType } from '../../../src/model/schema/schema.ts';

test.each<[ScalarType, DatabaseValue, unknown]>([
  ['datetime', 1_600_000_000_123, '2020-09-13T12:26:40.123Z'],
  ['datetime', '2020-09-13 12:26:40Z', '2020-09-13T12:26:40.000Z'],
  ['datetime', 'never', null],
  ['timestamp', 1_600_000_000_123, '1600000000123'],
  ['timestamp', 'never', null],
  ['boolean', 1, true],
  ['boolean', 0, false],
  ['boolean', '1', true],
  ['boolean', 'yes', null],
  ['integer', 7, 7],
  ['decimal', 2.675, 2.675],
  ['float', '1.5', 1.5],
  ['biginteger', 9_007_199_254_740_993n, '9007199254740993'],
  ['biginteger', -12, '-12'],
  ['date', '2020-02-29', '2020-02-29'],
  ['time', '07:08:09.120', '07:08:09.120'],
  ['string', 'a', 'a'],
  ['string', 12, '12'],
  ['text', Buffer.from('é'), 'é'],
  ['json', '{"a":[1,null]}', { a: [1, null] }],
  ['json', '"{\\"a\\":1}"', { a: 1 }],
  ['json', '"quoted"', '"quoted"'],
  ['json', 'bare text', 'bare text'],
  ['json', 'true', true],
  ['json', 'null', null],
  ['json', '', ''],
  ['json', 1, 1],
  ['json', 9_007_199_254_740_993n, 9_007_199_254_740_992],
  ['blocks', '[]', []],
  ['json', null, null],
  ['biginteger', null, null],
  ['boolean', null, null],
])('%s: %o', (type, value, expected) => {
  expect(readValue(type, value, sqliteDialect)).toEqual(expected);
});
