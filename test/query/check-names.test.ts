// Strapi reports the mistake that the earliest of its passes finds, wherever it is in the query.
import { expect, test } from 'vitest';
import { permissionsFor } from '../../src/model/access/permissions.ts';
import { bindingFor, errorOf } from './binding.ts';

const ownOnly = () => bindingFor('strapi', permissionsFor(['api::article.article.find']));

/** One mistake for each pass, in the order of the passes. */
const filters = { nosuch: 'a', zone: { text: 'a' }, secret: 'a', author: { name: 'a' } };
const sorts = { nosuch: 'asc', zone: { text: 'asc' }, secret: 'asc', tags: '' };

test.each(Object.keys(filters).map((name, i, names) => [name, names.slice(i)] as const))(
  'a filter on %s is reported before mistakes of later passes',
  (name, rest) => {
    const wrong = rest.map((each) => ({ [each]: filters[each as keyof typeof filters] }));
    for (const ordered of [wrong, wrong.toReversed()]) {
      const { details } = errorOf({ filters: { $and: ordered } }, ownOnly());
      expect(details).toMatchObject({ key: name, path: name === 'nosuch' ? null : name, param: 'filters' });
    }
  },
);

test.each(Object.keys(sorts).map((name, i, names) => [name, names.slice(i)] as const))(
  'a sort by %s is reported before mistakes of later passes',
  (name, rest) => {
    for (const ordered of [rest, rest.toReversed()]) {
      const sort = Object.fromEntries(ordered.map((each) => [each, sorts[each as keyof typeof sorts]]));
      expect(errorOf({ sort }, ownOnly()).details).toMatchObject({ key: name, param: 'sort' });
    }
  },
);

test('wrong names are reported before wrong values', () => {
  const query = { filters: { views: 'many', nosuch: 'a' } };
  expect(errorOf(query, bindingFor('strapi')).details).toMatchObject({ key: 'nosuch' });
});

test('a list below $eq holds operands, and a list of texts and objects is no sort', () => {
  expect(errorOf({ filters: { title: { $eq: { nosuch: 'a' } } } }, bindingFor('strapi')).message).toContain('$eq');
  expect(errorOf({ sort: ['title', { views: 'asc' }] }, bindingFor('strapi')).details).toMatchObject({ key: '0' });
});
