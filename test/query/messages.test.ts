// Errors of single parts of a query that name their place and value.
import { expect, test } from 'vitest';
import { bindingFor, errorOf } from './binding.ts';

const strapi4 = () => bindingFor('strapi', undefined, '4.25.0');

test('a page option in populate of Strapi 4 is reported with its place and value', () => {
  const { message, details } = errorOf({ populate: { author: { populate: { articles: { page: '0' } } } } }, strapi4());
  expect(message).toBe(
    'Invalid value "0" for populate[author][populate][articles][page]: expected a whole number from 1 on',
  );
  expect(details).toEqual({ key: 'page', path: 'author.articles', source: 'query', param: 'populate', value: '0' });
});

test('page and offset options in one populate of Strapi 4 are reported at the offset option', () => {
  const { message, details } = errorOf({ populate: { tags: { page: '1', start: '2' } } }, strapi4());
  expect(message).toBe('Cannot use both page & offset pagination in the same query');
  expect(details).toEqual({ key: 'start', path: 'tags', source: 'query', param: 'populate', value: '2' });
});

test.each(['document', 'strapi'] as const)('a path with too many names is reported with the path in %s', (dialect) => {
  const path = Array(5).fill('author.articles').join('.');
  for (const param of ['sort', 'populate']) {
    const { message, details } = errorOf({ [param]: path }, bindingFor(dialect));
    expect(message).toBe(`The path "${path.slice(0, 76)}... in ${param} has 10 names; the limit is 9 (budgets.depth)`);
    expect(details).toEqual({ limit: 9, setting: 'budgets.depth', source: 'query', param, value: path });
  }
});
