import { describe, expect, test } from 'vitest';
import { dialectFor } from '../../src/core/dialect.ts';
import { allPermissions, permissionsFor } from '../../src/model/access/permissions.ts';
import { bindPage } from '../../src/query/bind/bind-page.ts';
import { queryPolicies } from '../../src/query/dialects.ts';
import type { Paging } from '../../src/query/route-context.ts';
import type { RawQuery } from '../../src/query/syntax/parse.ts';
import { parseTree } from '../../src/query/syntax/query-tree.ts';
import { bindArticles, bindingFor, errorOf } from './binding.ts';

const strapi4 = () => bindingFor('strapi', allPermissions(), '4.25.0');

describe('the page', () => {
  const pageOf = (query: RawQuery, dialect: 'document' | 'strapi' = 'document', paging: Paging = 'pagination') =>
    bindPage(bindingFor(dialect), parseTree(query), paging);

  test.each([
    [{}, { mode: 'page', start: 0, limit: 25, withCount: true }],
    [{ pagination: null }, { mode: 'page', start: 0, limit: 25, withCount: true }],
    [{ pagination: { page: '3', pageSize: '10' } }, { mode: 'page', start: 20, limit: 10, withCount: true }],
    [{ pagination: { page: '0', pageSize: '0' } }, { mode: 'page', start: 0, limit: 1, withCount: true }],
    [
      { pagination: { start: '5', limit: '1000', withCount: 'false' } },
      { mode: 'offset', start: 5, limit: 100, withCount: false },
    ],
  ])('%j asks for the same page in both dialects, clamped to the limits', (query, page) => {
    expect(pageOf(query)).toEqual(page);
    expect(pageOf(query, 'strapi')).toEqual(page);
  });

  test.each([
    [{ pagination: 'x' }, 'Invalid value "x" for pagination: expected an object, as in pagination[page]=1'],
    [{ pagination: { colour: 'red' } }, 'Invalid key colour: expected page, pageSize, start, limit, withCount'],
    [{ pagination: { page: '1.5' } }, 'Invalid value "1.5" for pagination[page]: expected a whole number'],
    [
      { pagination: { page: '1', start: '1' } },
      'Cannot use both page & offset pagination in the same query: page and start',
    ],
  ])('document rejects %j', (query, message) => {
    expect(() => pageOf(query)).toThrow(message);
  });

  test('strapi ignores a pagination that is no object, and rejects a page outside of it', () => {
    expect(pageOf({ pagination: 'x' }, 'strapi')).toEqual(pageOf({}));
    expect(() => pageOf({ page: '2' }, 'strapi')).toThrow('must be in the pagination object');
  });

  test('routes without pages read start and limit at the root in strapi', () => {
    const paging = queryPolicies(dialectFor('strapi', '5.0.0')).page.pagingOfUnpagedRoute(true);
    const read = (query: RawQuery) => pageOf(query, 'strapi', paging);
    expect(read({ start: '5', limit: ['2', '3'] })).toMatchObject({ start: 5, limit: 2 });
    expect(read({ limit: '-1' })).toMatchObject({ start: 0, limit: Number.MAX_SAFE_INTEGER });
    expect(() => read({ page: '1', start: '1' })).toThrow('must be in the pagination object');
    expect(() => read({ page: '0' })).toThrow("Invalid 'page' parameter. Expected an integer > 0, received: 0");
  });
});

describe('the version', () => {
  test('is published unless a query asks for drafts', () => {
    expect(bindArticles(bindingFor('document'), {}).status).toBe('published');
    expect(bindArticles(bindingFor('document'), { status: 'draft' }).status).toBe('draft');
    expect(errorOf({ status: 'nosuch' }).message).toBe(
      'Invalid value "nosuch" for status: expected one of published, draft',
    );
    expect(bindArticles(bindingFor('strapi'), { status: 'nosuch' }).status).toBe('draft');
  });

  test('drafts take a permission in document', () => {
    const binding = bindingFor('document', permissionsFor(['api::article.article.find']));
    expect(errorOf({ status: 'draft' }, binding).status).toBe(403);
  });

  test('publicationState shows drafts beside published entries of Strapi 4', () => {
    expect(bindArticles(strapi4(), { publicationState: 'preview' }).status).toBeNull();
    expect(bindArticles(strapi4(), { publicationState: 'live' }).status).toBe('published');
    expect(errorOf({ publicationState: 'nosuch' }, strapi4()).message).toBe(
      "Invalid value for 'publicationState'. Expected one of: live, preview.",
    );
  });

  test('publicationFilter takes precedence over hasPublishedVersion', () => {
    const publicationOf = (query: RawQuery) => bindArticles(bindingFor('document'), query).publication;
    expect(publicationOf({ hasPublishedVersion: 'true' })).toBe('has-published-version-document');
    expect(publicationOf({ hasPublishedVersion: 'true', publicationFilter: 'modified' })).toBe('modified');
    expect(publicationOf({ hasPublishedVersion: null, publicationFilter: null })).toBeNull();
    expect(errorOf({ hasPublishedVersion: 'maybe' }).message).toContain('for hasPublishedVersion: expected true');
  });
});

describe('other parameters', () => {
  test.each([
    [{ locale: 'xx' }, 'Invalid value "xx" for locale: the content has no such locale; there are en'],
    [{ locale: ['en', 5] }, 'Invalid value ["en",5] for locale: expected text'],
    [{ _q: ['a'] }, 'Invalid value ["a"] for _q: expected text'],
    [{ populat: '*' }, 'Invalid key populat: there is no such parameter (did you mean "populate"?)'],
  ])('document rejects %j', (query, message) => {
    expect(errorOf(query).message).toBe(message);
  });

  test('strapi ignores unknown parameters but lookup', () => {
    expect(bindArticles(bindingFor('strapi'), { colour: 'red', lookup: '' }).filter).toBeNull();
    expect(errorOf({ lookup: '1' }, bindingFor('strapi')).message).toBe("Invalid params: 'lookup'");
  });

  test('_q searches every text', () => {
    expect(bindArticles(bindingFor('document'), { _q: 'ada' }).filter).toMatchObject({
      kind: 'any',
      conditions: expect.arrayContaining([
        { kind: 'value', attribute: 'title', comparison: 'containsFolded', operands: ['ada'], negated: false },
      ]),
    });
    expect(bindArticles(bindingFor('document'), { _q: '' }).filter).toBeNull();
  });
});
