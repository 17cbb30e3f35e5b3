import { expect, test } from 'vitest';
import type { EntryType, LinkAttribute } from '../../src/model/schema/schema.ts';
import { DelimiterCache, listDelimiters } from '../../src/query/reply/delimiters.ts';

const attribute = (kind: string, many: boolean, rest: object = {}) =>
  ({ name: 'parts', kind, many, ...rest }) as unknown as LinkAttribute;
const plain = new DelimiterCache({ emitsEmptyPolymorphicAsNull: false });
const version4 = new DelimiterCache({ emitsEmptyPolymorphicAsNull: true });
const texts = (cache: DelimiterCache, of: LinkAttribute, wrapped = false) => {
  const { start, open, between, close, none } = cache.ofAttribute(of, wrapped);
  return [start, open, between, close, none].map(String);
};

test('delimiters enclose lists, single entries, and both in `data`', () => {
  expect(texts(plain, attribute('relation', true))).toEqual([',"parts":', ',"parts":[{', '},{', '}]', ',"parts":[]']);
  expect(texts(plain, attribute('relation', false))).toEqual([',"parts":', ',"parts":{', '},{', '}', ',"parts":null']);
  expect(texts(plain, attribute('relation', true), true).slice(1)).toEqual([
    ',"parts":{"data":[{',
    '},{',
    '}]}',
    ',"parts":{"data":[]}',
  ]);
  expect(String(listDelimiters.none)).toBe('[]');
});

test.each<[string, LinkAttribute, string]>([
  ['files', attribute('media', true), ',"parts":null'],
  ['morphMany', attribute('relation', true, { fromPolymorphic: true }), ',"parts":null'],
  ['morphToMany', attribute('polymorphic', true), ''],
  ['morphToOne', attribute('polymorphic', false), ',"parts":null'],
  ['a relation to many', attribute('relation', true), ',"parts":[]'],
])('%s without entries has the form of Strapi 4', (_, of, expected) => {
  expect(texts(version4, of)[4]).toBe(expected);
});

test('delimiters are encoded once', () => {
  const of = attribute('relation', true);
  expect(plain.ofAttribute(of, false)).toBe(plain.ofAttribute(of, false));
  const type = { uid: 'api::page.page' } as EntryType;
  expect(String(plain.typeMember(type, '__type', true))).toBe(',"locale":null,"__type":"api::page.page"');
  expect(plain.typeMember(type, '__type', false)).toBe(plain.typeMember(type, '__type', false));
});
