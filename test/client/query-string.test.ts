import fc from 'fast-check';
import qs from 'qs';
import { describe, expect, test } from 'vitest';
import { stringifyQuery } from '../../src/client/query-string.ts';
import { caseCount } from '../support/cases.ts';

/** How the client writes queries. `qs` reads them, as in Strapi and in Lectern. */

const read = (text: string) => qs.parse(text, { depth: 20, arrayLimit: 100, strictNullHandling: true });

const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null));
const key = fc.stringMatching(/^\$?[a-zA-Zäß_][a-zA-Z0-9_-]{0,8}$/);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
  object: fc.dictionary(key, tie('any'), { minKeys: 1, maxKeys: 3 }),
})).any;

/** As a URL holds a value: in text. */
function inText(given: unknown): unknown {
  if (given === null) return null;
  if (Array.isArray(given)) return given.map(inText);
  if (typeof given !== 'object') return String(given);
  return Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, inText(inner)]));
}

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (query) => {
      expect(read(stringifyQuery(query))).toEqual(inText(query));
    }),
    { numRuns: caseCount(5000, 300) },
  );
});

test('dates, large integers and names are written in full', () => {
  const query = {
    filters: { day: { $gt: new Date(0) }, views: 9007199254740993n, größe: 1 },
    populate: { 'parts & all': true },
  };
  expect(stringifyQuery(query)).toBe(
    'filters[day][$gt]=1970-01-01T00%3A00%3A00.000Z&filters[views]=9007199254740993&filters[gr%C3%B6%C3%9Fe]=1' +
      '&populate[parts%20%26%20all]=true',
  );
});

test('options that are undefined, empty sorts and empty lists of relations are left out', () => {
  const query = { sort: [], populate: { author: { populate: [], fields: undefined, sort: [] } }, status: undefined };
  expect(stringifyQuery(query)).toBe('');
  expect(stringifyQuery({ populate: [], fields: ['id'], filters: {} })).toBe('fields[0]=id');
});

test('a value in an empty list finds nothing', () => {
  expect(stringifyQuery({ filters: { id: { $in: [] } } })).toBe('filters[id][$in]');
});

describe('what would find more if it were left out throws, and names its place', () => {
  test.each([
    [{ filters: { title: undefined } }, 'filters.title: undefined has no form in a URL'],
    [{ filters: { author: { name: undefined } } }, 'filters.author.name: undefined'],
    [{ filters: { title: {} } }, 'filters.title: an empty group'],
    [{ filters: { $or: [] } }, 'filters.$or: an empty list'],
    [{ filters: { $and: [{}] } }, 'filters.$and[0]: an empty group'],
    [{ filters: { id: { $notIn: [] } } }, 'filters.id.$notIn: an empty list'],
    [{ filters: { id: { $in: [1, undefined] } } }, 'filters.id.$in: item 1 is undefined'],
    [{ populate: { author: { filters: { name: undefined } } } }, 'populate.author.filters.name: undefined'],
    [{ populate: { author: { filters: { name: {} } } } }, 'populate.author.filters.name: an empty group'],
    [{ fields: [] }, 'fields: an empty list'],
    [{ fields: ['title', undefined] }, 'fields: item 1 is undefined'],
    [{ filters: { stars: Number.NaN } }, 'filters.stars: NaN'],
    [{ filters: { stars: Number.POSITIVE_INFINITY } }, 'filters.stars: Infinity'],
    [{ filters: { day: new Date('x') } }, 'filters.day: is an invalid date'],
    [{ sort: Symbol('title') }, 'sort: Symbol(title)'],
  ])('%j', (query, message) => {
    expect(() => stringifyQuery(query)).toThrow(TypeError);
    expect(() => stringifyQuery(query)).toThrow(message);
  });
});
