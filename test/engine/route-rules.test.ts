import { describe, expect, test } from 'vitest';
import { answeredQuery, contextOf, effectiveQuery, listsAll, rowKeyOf } from '../../src/engine/routes/route-rules.ts';
import {
  collectionRoute,
  documentRoute,
  everyLocaleOf,
  filesRoute,
  localesRoute,
  type QueryRoute,
  rolesRoute,
  schemasRoute,
  singleRoute,
  usersRoute,
} from '../../src/engine/routes/routes.ts';
import type { EntryType } from '../../src/model/schema/schema.ts';
import type { BoundQuery, Page } from '../../src/query/bound.ts';
import type { PagePolicy, RouteContext } from '../../src/query/policies.ts';
import { parseTree } from '../../src/query/syntax/query-tree.ts';

const uid = 'api::page.page';
const type = { uid } as EntryType;
/** Routes without pages have their window at the root, or in `pagination` if they list. */
const root = (): Page => ({ mode: 'offset', start: 0, limit: 1, withCount: true });
const page = { pagingOfUnpagedRoute: (isList: boolean) => (isList ? 'pagination' : root) } as PagePolicy;

const routes: Record<string, QueryRoute> = {
  pages: collectionRoute('pages', uid),
  home: singleRoute('home', uid),
  'pages/abc': { ...documentRoute('pages', uid), identifier: 'abc' },
  'pages/7': { ...documentRoute('pages', uid), key: 'id', identifier: '7' },
  'home in every locale': everyLocaleOf(singleRoute('home', uid)),
  'upload/files': filesRoute(undefined),
  'upload/files/1': filesRoute('1'),
  users: usersRoute(undefined, false),
  'users/1': usersRoute('1', false),
  'users/me': usersRoute('me', false),
  'users/count': usersRoute('count', false),
  roles: rolesRoute(undefined),
  'roles/1': rolesRoute('1'),
  locales: localesRoute,
};

test.each<[string, Partial<RouteContext>]>([
  ['pages', { takesSeveralLocales: true, checksAnswerable: false, paging: 'pagination', isPluginType: false }],
  ['home', { takesSeveralLocales: false, checksAnswerable: true, paging: root, namesDocument: false }],
  ['home in every locale', { takesSeveralLocales: true, checksAnswerable: false, paging: 'pagination' }],
  ['pages/abc', { checksAnswerable: true, namesDocument: true, namesRow: false }],
  ['pages/7', { checksAnswerable: true, namesDocument: true, namesRow: true }],
  ['upload/files', { takesSeveralLocales: false, checksAnswerable: false, paging: 'pagination', isPluginType: true }],
  ['upload/files/1', { checksAnswerable: false, paging: 'none', namesRow: false }],
  ['users/1', { checksAnswerable: true, paging: root, isPluginType: true }],
  ['users/me', { checksAnswerable: true }],
  ['users/count', { takesSeveralLocales: false, checksAnswerable: true, paging: root }],
])('binds a query of %s', (name, expected) => {
  expect(contextOf(routes[name], type, page)).toMatchObject(expected);
});

describe('the entry named by a path', () => {
  test.each<[string, object | null]>([
    ['pages', null],
    ['home', null],
    ['users/count', null],
    ['pages/abc', { attribute: 'documentId', operand: 'abc' }],
    ['pages/7', { attribute: 'id', operand: 7 }],
    ['users/1', { attribute: 'id', operand: 1 }],
    ['users/me', { attribute: 'id', operand: 5 }],
  ])('%s', (name, expected) => expect(rowKeyOf(routes[name], 5)).toEqual(expected));

  test.each(['x', '1.5', '', '1e3', '9'.repeat(16)])('rejects %j as an id', (identifier) => {
    expect(() => rowKeyOf(usersRoute(identifier, false), null)).toThrow('a whole number is expected');
  });
});

test('routes without parameters ignore the query', () => {
  const query = { filters: { id: '1' } };
  const ignoring = Object.keys(routes).filter((name) => effectiveQuery(routes[name], query) !== query);
  expect(ignoring).toEqual(['roles', 'roles/1', 'locales']);
});

test('a bare list has all entries, unless its query has pagination', () => {
  const allOf = (query: Record<string, unknown>) =>
    Object.keys(routes).filter((name) => listsAll(routes[name], contextOf(routes[name], type, page), parseTree(query)));
  expect(allOf({})).toEqual(['home in every locale', 'upload/files', 'users', 'roles', 'locales']);
  expect(allOf({ pagination: {} })).toEqual(['home in every locale', 'roles', 'locales']);
});

test('a file is only populated', () => {
  const query = {
    filter: {},
    sort: [{}],
    selection: { fields: ['id'], populate: [] },
    status: null,
  } as unknown as BoundQuery;
  const populated = { filter: null, sort: [], selection: { fields: null, populate: [] }, status: null };
  expect(answeredQuery(routes['upload/files/1'], query)).toEqual(populated);
  expect(answeredQuery(routes['users/1'], query)).toBe(query);
});

test('describes content types and components, and nothing else', () => {
  expect(schemasRoute('components', undefined)).toMatchObject({ identifier: undefined, describes: 'components' });
  expect(schemasRoute('content-types', uid)).toMatchObject({
    identifier: uid,
    path: 'content-type-builder/content-types/:uid',
  });
  expect(schemasRoute('reserved-names', undefined)).toBeNull();
});
