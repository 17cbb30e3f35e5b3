import { expect, test } from 'vitest';
import { extractValues, fillPlaceholders, hasPlaceholder, Placeholders } from '../../src/query/placeholders.ts';
import { parseQuery, type RawQuery } from '../../src/query/syntax/parse.ts';
import { bindArticles, bindingFor } from './binding.ts';

const formOf = (text: string) => extractValues(text)?.form.replaceAll('\uffff', '?');

test('takes values of filters and pagination out of a query string', () => {
  const text = 'sort=title&filters[title][$eq]=a%20b&pagination[page]=2&fields=title';
  expect(formOf(text)).toBe('sort=title&filters[title][$eq]=?0&pagination[page]=?1&fields=title');
  expect(extractValues(text)?.values).toEqual(['a b', '2']);
});

test('keeps the operands of $null and $notNull, which decide the form', () => {
  expect(formOf('filters[title][$null]=true')).toBe('filters[title][$null]=true');
  expect(formOf('filters%5Btitle%5D%5B%24notNull%5D=true')).toBe('filters%5Btitle%5D%5B%24notNull%5D=true');
});

test.each([
  'filters[title]=a=b',
  'filters[%74itle]=a',
  'filters[title]=%',
  'filters[title]=\uffff0',
  'filters[title]=%EF%BF%BF',
])('%s has to be parsed', (text) => {
  expect(extractValues(text)).toBeNull();
});

test('puts values in place of placeholders', () => {
  expect(fillPlaceholders({ page: '\uffff1', list: ['\uffff0', 'b'] }, ['a', '2'])).toEqual({
    page: '2',
    list: ['a', 'b'],
  });
  expect(hasPlaceholder({ a: ['b', '\uffff0'] })).toBe(true);
  expect(hasPlaceholder({ a: ['b', 'c\uffff'] })).toBe(false);
});

test.each([
  'filters[views][$in][0]=1&filters[views][$in][1]=2&filters[author][name]=b',
  'filters[$not][tags][name][$contains]=a&filters[$or][0][views][$between]=1&filters[$or][0][views][$between]=2',
])('a prepared query with its values is the query itself: %s', (text) => {
  const { policies } = bindingFor('document');
  const parse = (query: string): RawQuery =>
    parseQuery(query, { depth: 9, parameters: 99, arrayLimit: 99 }, policies.errors);
  const { form, values } = extractValues(text)!;
  const placeholders = new Placeholders();
  const prepared = bindArticles({ ...bindingFor('document'), placeholders }, parse(form));
  expect(placeholders.fill(prepared.filter!, values)).toEqual(bindArticles(bindingFor('document'), parse(text)).filter);
});

test('casts each value by the type of its attribute', () => {
  const placeholders = new Placeholders();
  const prepared = bindArticles({ ...bindingFor('document'), placeholders }, { filters: { views: '\uffff0' } });
  expect(placeholders.fill(prepared.filter!, ['7'])).toMatchObject({ operands: [7] });
  expect(() => placeholders.fill(prepared.filter!, ['a'])).toThrow(
    'Invalid value "a" for $eq on views: expected a number',
  );
});
