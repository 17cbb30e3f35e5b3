import { describe, expect, test } from 'vitest';
import { dialectFor } from '../../src/core/dialect.ts';
import { ForbiddenError } from '../../src/core/errors.ts';
import { QueryBinder } from '../../src/engine/query-binder.ts';
import { collectionRoute, documentRoute, type QueryRoute } from '../../src/engine/routes/routes.ts';
import { permissionsFor } from '../../src/model/access/permissions.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { schema } from '../query/binding.ts';

const uid = 'api::article.article';
const list = collectionRoute('articles', uid);
const caller = { permissions: permissionsFor([`${uid}.find`, `${uid}.findOne`]), role: 'public', userId: null };
const stranger = { ...caller, permissions: permissionsFor([]) };

function queriesOf(): QueryBinder {
  const content = { schema, defaultLocale: 'en', locales: new Set(['en']) };
  return new QueryBinder(content, dialectFor('document', null), readOptions());
}

function bind(queries: QueryBinder, route: QueryRoute, text: string, from = caller) {
  return queries.bind(route, text, from, from.permissions.id, 'flat');
}

/** A route that counts how many queries are read: each is completed by the defaults once. */
function countingRoute() {
  const counts = { queries: 0 };
  const defaults = {
    get sort() {
      counts.queries++;
      return 'title';
    },
  };
  const route: QueryRoute = { ...list, addition: { defaults, set: {} } };
  return { route, counts };
}

describe('prepared queries', () => {
  test('requests that differ in values share a template, and each has its values', () => {
    const queries = queriesOf();
    const first = bind(queries, list, 'filters[views]=1&pagination[page]=2');
    const second = bind(queries, list, 'filters[views]=7&pagination[page]=3');
    expect(second.template).toBe(first.template);
    expect(first.template.isShared).toBe(true);
    expect(first.query).toMatchObject({ filter: { operands: [1] }, page: { start: 25 } });
    expect(second.query).toMatchObject({ filter: { operands: [7] }, page: { start: 50 } });
    expect(queries.statistics).toMatchObject({ hits: 1 });
  });

  test('a filter of one document is not prepared', () => {
    const queries = queriesOf();
    const route = { ...documentRoute('articles', uid), identifier: 'abc' };
    const { template, query, key } = bind(queries, route, 'filters[views]=1');
    expect(template.isShared).toBe(false);
    expect(query.filter).toMatchObject({ operands: [1] });
    expect(key).toEqual({ attribute: 'documentId', operand: 'abc' });
    expect(queries.statistics.bytes).toBe(0);
  });

  test('a hook rewrites the query of every request', () => {
    const queries = queriesOf();
    let calls = 0;
    const hook = (query: Record<string, unknown>) => ({ ...query, sort: calls++ === 0 ? 'title' : 'views' });
    const route: QueryRoute = { ...list, addition: { defaults: {}, set: {}, hook } };
    const sorts = [0, 1].map(() => bind(queries, route, 'filters[views]=1').query.sort[0].path);
    expect(sorts).toEqual([['title'], ['views']]);
    expect(queries.statistics.bytes).toBe(0);
  });

  test('an error of a rejected form names the value', () => {
    expect(() => bind(queriesOf(), list, 'filters[views]=many')).toThrow('many');
    expect(() => bind(queriesOf(), list, 'filters[wrong]=7')).toThrow('wrong');
  });
});

describe('a caller without the permission', () => {
  test('gets a 403 after the query is read once', () => {
    const { route, counts } = countingRoute();
    expect(() => bind(queriesOf(), route, 'filters[views]=1', stranger)).toThrow(ForbiddenError);
    expect(counts.queries).toBe(1);
  });

  test('gets the error of a query that cannot be parsed instead', () => {
    const tooDeep = `filters${'[a]'.repeat(100)}=1`;
    const errorOf = (from: typeof caller) => {
      try {
        bind(queriesOf(), list, tooDeep, from);
      } catch (error) {
        return error;
      }
      return null;
    };
    expect(errorOf(stranger)).toEqual(errorOf(caller));
    expect(errorOf(stranger)).not.toBeInstanceOf(ForbiddenError);
    expect(errorOf(stranger)).not.toBeNull();
  });
});
