import { describe, expect, test } from 'vitest';
import { permissionsFor } from '../../src/model/access/permissions.ts';
import { bindArticles, bindingFor, errorOf } from './binding.ts';

const filterOf = (filters: object, dialect: 'document' | 'strapi' = 'document') =>
  bindArticles(bindingFor(dialect), { filters }).filter;

const value = (attribute: string, comparison: string, operands: unknown[], negated = false) => ({
  kind: 'value',
  attribute,
  comparison,
  operands,
  negated,
});

describe('filters', () => {
  test('a value means $eq, a list $in, null is null', () => {
    expect(filterOf({ title: 'a' })).toEqual(value('title', 'equal', ['a']));
    expect(filterOf({ views: ['1', '2'] })).toEqual(value('views', 'oneOf', [1, 2]));
    expect(filterOf({ title: null })).toEqual(value('title', 'isNull', []));
  });

  test('$not turns "and" into "or" and negates each comparison', () => {
    expect(filterOf({ $not: { title: 'a', views: { $gt: '1' } } })).toEqual({
      kind: 'any',
      conditions: [value('title', 'equal', ['a'], true), value('views', 'greater', [1], true)],
    });
  });

  test('two negations cancel each other', () => {
    expect(filterOf({ $not: { $not: { title: { $ne: 'a' } } } })).toEqual(value('title', 'equal', ['a'], true));
  });

  test('$not around a relation to many stays outside in document and moves inside in strapi', () => {
    const filters = { $not: { tags: { name: 'a' } } };
    const inside = (negated: boolean) => ({
      kind: 'related',
      attribute: 'tags',
      condition: value('name', 'equal', ['a'], negated),
    });
    expect(filterOf(filters)).toEqual({ kind: 'not', condition: inside(false) });
    expect(filterOf(filters, 'strapi')).toEqual(inside(true));
  });

  test('the value of a relation is compared with its id', () => {
    expect(filterOf({ author: '7' })).toMatchObject({ kind: 'related', condition: value('id', 'equal', [7]) });
    expect(filterOf({ author: { $in: ['7'] } })).toMatchObject({ condition: value('id', 'oneOf', [7]) });
  });

  test('empty groups are left out', () => {
    expect(filterOf({ $and: [], $or: [{}] })).toBeNull();
  });

  test.each([
    [{ filters: { titel: 'a' } }, 'Invalid key titel: there is no such attribute (did you mean "title"?)'],
    [{ filters: { $eq: 'a' } }, 'Invalid key $eq: an operator belongs below an attribute, as in filters[name][$eq]'],
    [{ filters: { $or: ['a'] } }, 'Invalid key $or: expected a group of conditions, not "a"'],
    [{ filters: { views: 'a' } }, 'Invalid value "a" for $eq on views: expected a number'],
    [
      { filters: { author: { name: { $like: 'a' } } } },
      'Invalid key $like at author.name: there is no such operator (did you mean "$lte"?)',
    ],
    [
      { populate: { author: { filters: { nam: 'a' } } } },
      'Invalid key nam at author.nam in populate[author][filters]: there is no such attribute (did you mean "name"?)',
    ],
  ])('%j names the place of a mistake', (query, message) => {
    expect(errorOf(query).message).toBe(message);
  });

  test('a date is an operand, and no group of conditions', () => {
    const date = new Date(0);
    expect(filterOf({ createdAt: { $lt: date } })).toEqual(value('createdAt', 'less', [0]));
    for (const filters of [date, { $or: [date] }, { $not: date }]) {
      expect(errorOf({ filters }).message).toContain('expected');
    }
  });

  test('a relation that the caller may not read is treated as missing', () => {
    const binding = bindingFor('document', permissionsFor(['api::article.article.find']));
    expect(errorOf({ filters: { author: { name: 'a' } } }, binding).message).toBe(
      'Invalid key author: there is no such attribute',
    );
  });
});

describe('sort', () => {
  test('every form gives the same keys', () => {
    const expected = [{ path: ['author', 'name'], descending: true }];
    for (const sort of [
      'author.name:desc',
      ['author.name:desc'],
      { author: { name: 'desc' } },
      { 'author.name': 'DESC' },
    ]) {
      expect(bindArticles(bindingFor('document'), { sort }).sort).toEqual(expected);
    }
  });

  test('a date is no order and populates nothing', () => {
    const date = new Date(0);
    expect(errorOf({ sort: { title: date } }).message).toContain('expected one order, asc or desc');
    expect(errorOf({ populate: date }).message).toContain('expected *, names of attributes');
    expect(errorOf({ populate: { author: date } }).message).toContain('expected true, * or options');
  });

  test('a relation cannot be sorted by', () => {
    expect(errorOf({ sort: 'author' }).message).toContain('sort by one of its attributes, such as author.id');
  });

  test('strapi drops keys that lead to a status', () => {
    expect(bindArticles(bindingFor('strapi'), { sort: 'status:desc,title' }).sort).toEqual([
      { path: ['title'], descending: false },
    ]);
    expect(errorOf({ sort: 'status' }).message).toContain('there is no such attribute');
  });
});

describe('populate', () => {
  test('every form populates the same', () => {
    const forms = ['author', ['author'], { author: true }, { author: 'true' }, { author: {} }];
    const [first, ...others] = forms.map((populate) => bindArticles(bindingFor('document'), { populate }).selection);
    expect(first.populate).toMatchObject([
      { attribute: 'author', targets: { 'api::author.author': { fields: null } } },
    ]);
    for (const other of others) expect(other).toEqual(first);
  });

  test('a relation that the caller may not read is left out and noted', () => {
    const binding = bindingFor('document', permissionsFor(['api::article.article.find', 'api::tag.tag.find']));
    const { selection } = bindArticles(binding, { populate: '*' });
    expect(selection.populate.map(({ attribute }) => attribute)).toEqual(['tags', 'zone']);
    expect(binding.omitted).toEqual(['author']);
  });

  test('options of an unreadable relation are checked in strapi only', () => {
    const permissions = permissionsFor(['api::article.article.find']);
    const query = { populate: { author: { fields: 'nothing' } } };
    expect(bindArticles(bindingFor('document', permissions), query).selection.populate).toEqual([]);
    expect(errorOf(query, bindingFor('strapi', permissions)).message).toBe('Invalid key nothing');
  });

  test('content of Strapi 4 takes options of a zone for each component, and cuts lists', () => {
    const binding = bindingFor('strapi', undefined, '4.26.0');
    const { selection } = bindArticles(binding, {
      populate: { tags: { limit: '2' }, zone: { populate: '*' }, none: true },
    });
    expect(selection.populate).toMatchObject([
      { attribute: 'tags', window: { from: 0, to: 2 } },
      { attribute: 'zone', targets: { 'block.quote': {} } },
    ]);
  });
});

describe('strapi', () => {
  test('reports a wrong name before a wrong value, and a missing one before a private one', () => {
    const binding = bindingFor('strapi');
    expect(errorOf({ filters: { views: 'a', secret: 'b' } }, binding).message).toBe('Invalid key secret');
    expect(errorOf({ filters: { secret: 'b', author: { nothing: 'a' } } }, binding).message).toBe(
      'Invalid key nothing at author',
    );
  });

  test('rejects, for one entry, what the service fails on', () => {
    const filters = { $and: { title: 'a' } };
    expect(bindArticles(bindingFor('strapi'), { filters }).filter).toEqual(value('title', 'equal', ['a']));
    expect(errorOf({ filters }, bindingFor('strapi'), { checksAnswerable: true }).message).toBe('Invalid key $and');
  });
});
