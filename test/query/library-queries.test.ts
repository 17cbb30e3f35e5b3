// Queries as objects. Values that no URL can contain are errors that name the location, or are treated as absent.
import { beforeAll, expect, test } from 'vitest';
import { type Content, RequestError } from '../../src/index.ts';
import { openGuide } from '../support/guide.ts';

let content: Content;
let strapi: Content;
beforeAll(async () => {
  content = await openGuide();
  strapi = await openGuide({ dialect: 'strapi' });
});

class Filters {
  name = 'a';
}

const circular: Record<string, unknown> = {};
circular.$and = [circular];

test.each<[query: object, written: string, path: string | null, says: string]>([
  [{ filters: { slug: undefined } }, 'filters.slug', 'slug', 'is undefined'],
  [{ filters: { chef: { name: undefined } } }, 'filters.chef.name', 'chef.name', 'is undefined'],
  [{ filters: { name: { $eq: undefined } } }, 'filters.name.$eq', 'name', 'is undefined'],
  [{ filters: { id: { $in: [1, undefined] } } }, 'filters.id.$in[1]', 'id', 'is undefined'],
  [{ filters: { id: [undefined] } }, 'filters.id[0]', 'id', 'is undefined'],
  [{ filters: { $or: [undefined] } }, 'filters.$or[0]', null, 'is undefined'],
  [{ filters: { $not: undefined } }, 'filters.$not', null, 'is undefined'],
  [{ filters: { name: {} } }, 'filters.name', 'name', 'is an empty object'],
  [{ filters: { $or: [] } }, 'filters.$or', null, 'is an empty list'],
  [{ filters: { $or: [{}] } }, 'filters.$or[0]', null, 'is an empty object'],
  [{ filters: { $not: {} } }, 'filters.$not', null, 'is an empty object'],
  [{ filters: { name: /a/ } }, 'filters.name', 'name', 'is a RegExp'],
  [{ filters: new Map([['name', 'a']]) }, 'filters', null, 'is a Map'],
  [{ filters: new Filters() }, 'filters', null, 'is a Filters'],
  [{ filters: { id: { $in: new Set([1]) } } }, 'filters.id.$in', 'id', 'is a Set'],
  [{ filters: { name: () => 'a' } }, 'filters.name', 'name', 'is a function'],
  [{ filters: { name: Symbol('a') } }, 'filters.name', 'name', 'is a symbol'],
  [{ filters: { seats: { $gt: Number.NaN } } }, 'filters.seats.$gt', 'seats', 'is NaN'],
  [{ filters: { seats: Number.POSITIVE_INFINITY } }, 'filters.seats', 'seats', 'is Infinity'],
  [
    { filters: { createdAt: { $gt: new Date(Number.NaN) } } },
    'filters.createdAt.$gt',
    'createdAt',
    'is an invalid Date',
  ],
  [{ filters: circular }, 'filters.$and[0]', null, 'is deeper than 100 levels'],
  [{ populate: { chef: { filters: { name: undefined } } } }, 'populate.chef.filters.name', 'chef.name', 'is undefined'],
  [{ populate: { nearby: { sort: [undefined] } } }, 'populate.nearby.sort[0]', 'nearby', 'is undefined'],
  [
    { populate: { sections: { on: { 'block.hero': { filters: { heading: undefined } } } } } },
    'populate.sections.on.block.hero.filters.heading',
    'sections.block.hero.heading',
    'is undefined',
  ],
  [{ populate: ['chef', undefined] }, 'populate[1]', null, 'is undefined'],
  [{ fields: ['name', undefined] }, 'fields[1]', null, 'is undefined'],
  [{ sort: [undefined] }, 'sort[0]', null, 'is undefined'],
  [{ sort: { name: undefined } }, 'sort.name', 'name', 'is undefined'],
  [{ pagination: { page: Number.NaN } }, 'pagination.page', 'page', 'is NaN'],
  [{ pagination: { page: () => 1 } }, 'pagination.page', 'page', 'is a function'],
])('rejects %o at %s', (query, written, path, says) => {
  for (const either of [content, strapi]) {
    for (const find of [() => either.find('restaurants', query), () => either.findOne('restaurants', 'x', query)]) {
      expect(find).toThrow(RequestError);
      expect(find).toThrow(`${written}`);
      expect(find).toThrow(says);
      const param = Object.keys(query)[0];
      expect(find).toThrow(
        expect.objectContaining({ status: 400, details: expect.objectContaining({ path, source: 'query', param }) }),
      );
    }
  }
});

test.each<[query: object, same: object]>([
  [{ filters: undefined, sort: undefined, status: undefined, locale: undefined, _q: undefined }, {}],
  [{ fields: undefined, populate: undefined, pagination: undefined }, {}],
  [{ pagination: { page: undefined, pageSize: 3, withCount: undefined } }, { pagination: { pageSize: 3 } }],
  [{ populate: { chef: undefined, cover: true } }, { populate: { cover: true } }],
  [
    { populate: { chef: { fields: ['name'], filters: undefined, sort: undefined } } },
    { populate: { chef: { fields: 'name' } } },
  ],
])('treats undefined options as absent: %o', (query, same) => {
  expect(content.find('restaurants', query)).toEqual(content.find('restaurants', same));
});

test.each<[filters: object, total: number]>([
  [{}, 14],
  [{ $and: [] }, 14],
  [{ $and: [{}, { vegan: true }] }, 5],
  [{ id: [] }, 0],
  [{ id: { $in: [] } }, 0],
  [{ id: { $notIn: [] } }, 14],
  [{ vegan: true }, 5],
  [{ vegan: 1 }, 5],
  [{ name: null }, 1],
  [Object.assign(Object.create(null), { vegan: true }), 5],
  [{ visits: { $gt: 2n ** 53n } }, 3],
  [{ createdAt: { $gt: new Date(0) } }, 14],
])('answers filters %o with %d entries', (filters, total) => {
  expect(content.find('restaurants', { filters }).meta.pagination.total).toBe(total);
});

test('an error names an operand that JSON cannot represent', () => {
  expect(() => content.find('restaurants', { filters: { opened: 5n } })).toThrow('Invalid value "5" for $eq on opened');
});
