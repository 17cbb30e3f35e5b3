import { expect, test } from 'vitest';
import { mysqlDialect } from '../../../src/load/database/mysql/mysql-dialect.ts';
import { readField } from '../../../src/load/database/mysql/mysql-values.ts';
import { readValue } from '../../../src/load/database/row-values.ts';

// `BLOB` is the type of JSON on MariaDB, which stores it as text
test.each([
  ['"quoted"', 'quoted', '"quoted"'],
  ['"\\"twice\\""', '"twice"', 'twice'],
  ['"12"', 12, 12],
  ['12', 12, 12],
  ['null', null, null],
  ['{"a": ["b"]}', { a: ['b'] }, { a: ['b'] }],
])('the JSON %s is read as Strapi reads it on MySQL and on MariaDB', (text, onMysql, onMariadb) => {
  const read = (type: string) => readValue('json', readField({ type, string: () => text }), mysqlDialect);
  expect(read('JSON')).toEqual(onMysql);
  expect(read('BLOB')).toEqual(onMariadb);
});
