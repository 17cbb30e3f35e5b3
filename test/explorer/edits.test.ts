import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addFilter,
  removeFilter,
  replaceFilter,
  selectionAt,
  toggleField,
  togglePopulated,
  unfoldPopulated,
  withPage,
  withParameter,
  withSort,
} from '../../src/explorer/query/edit.ts';
import type { ExploredQuery, FilterChip } from '../../src/explorer/query/explored-query.ts';
import { parseUrl } from '../../src/explorer/query/parse-url.ts';
import { printUrl } from '../../src/explorer/query/print-url.ts';
import { type EntryType, isScalar, routeOf } from '../../src/model/schema/schema.ts';
import type { BoundQuery, Condition } from '../../src/query/bound.ts';
import type { Store } from '../../src/store/store.ts';
import { caseCount } from '../support/cases.ts';
import { loadShared } from '../support/open-shared.ts';
import { type UrlBinder, urlBinders } from './bound-urls.ts';
import { RandomUrls } from './random-urls.ts';

/** Edits of random queries are valid, add what they say, and can be taken back. */

const seed = Number(process.env.LECTERN_SEED || 20261127);

let store: Store;
let binders: UrlBinder[];
beforeAll(async () => {
  ({ store } = await loadShared('data/demo'));
  binders = urlBinders(store, () => false).filter(({ name }) => name === 'document 5' || name === 'strapi 5');
});

interface Case {
  readonly urls: RandomUrls;
  readonly type: EntryType;
  readonly query: ExploredQuery;
  /** What a query means by the dialect that the case is about. Throws if it is rejected. */
  readonly bound: (query: ExploredQuery) => BoundQuery;
}

/** Calls `check` with random queries that are valid. */
function forEachCase(check: (given: Case) => void): void {
  const urls = new RandomUrls(seed);
  for (let i = caseCount(1000, 300); i > 0; i--) {
    const url = urls.random.chance(70) ? urls.plain() : urls.odd();
    for (const { name, bind } of binders) {
      const meaning = bind(url).query;
      if (meaning === null) continue;
      const query = parseUrl(url);
      const type = store.schema.types.get(meaning.type)!;
      const known = new Map<string, BoundQuery>();
      const bound = (edited: ExploredQuery) => {
        const printed = printUrl(edited);
        const before = known.get(printed);
        if (before) return before;
        const { status, query: found } = bind(printed);
        if (found === null) throw new Error(`${name}, status ${status}\n${url}\n${printed}`);
        known.set(printed, found);
        return found;
      };
      check({ urls, type, query, bound });
    }
  }
}

function scalarsOf({ attributes }: EntryType): string[] {
  return [...attributes.values()].filter((each) => isScalar(each) && !each.private).map(({ name }) => name);
}

function linksOf({ attributes }: EntryType): string[] {
  return [...attributes.values()].filter((each) => !isScalar(each) && !each.private).map(({ name }) => name);
}

function keepsAny({ kept }: ExploredQuery, name: string): boolean {
  return kept.some(({ path }) => path[0].includes(name));
}

function isPartOf(condition: Condition | null, whole: Condition | null): boolean {
  if (isDeepStrictEqual(condition, whole)) return true;
  return whole?.kind === 'all' && whole.conditions.some((part) => isPartOf(condition, part));
}

describe(`random queries, seed ${seed}`, { timeout: 120_000 }, () => {
  test('a field that is toggled twice changes nothing', () => {
    let count = 0;
    forEachCase(({ urls, type, query, bound }) => {
      const all = scalarsOf(type);
      const { fields } = query.selection;
      if (keepsAny(query, 'fields') || all.every((name) => fields?.includes(name))) return;
      const field = urls.random.pick(all.filter((name) => name !== 'id' && name !== 'documentId'));
      const once = toggleField(query, [], field, all);
      const shown = bound(once).selection.fields;
      if (fields === null || fields.includes(field)) expect(once.selection.fields).not.toContain(field);
      else expect(shown === null || shown.includes(field)).toBe(true);
      expect(bound(toggleField(once, [], field, all)), printUrl(query)).toEqual(bound(query));
      count++;
    });
    expect(count).toBeGreaterThan(200);
  });

  test('a relation is populated beside the others, and no longer once it is toggled again', () => {
    let count = 0;
    forEachCase(({ urls, type, query, bound }) => {
      if (keepsAny(query, 'populate') || type.uid.startsWith('plugin::')) return;
      const links = linksOf(type);
      const { populate, populatesAll } = query.selection;
      const others = links.filter((name) => !populate.some(({ attribute }) => attribute === name));
      if (others.length === 0) return;
      const link = urls.random.pick(others);
      const once = togglePopulated(query, [], link, links);
      const before = bound(query).selection.populate;
      const after = bound(once).selection.populate;
      const isOther = ({ attribute }: { attribute: string }) => attribute !== link;
      expect(after.filter(isOther), printUrl(once)).toEqual(before.filter(isOther));
      if (bound(query).selection.fields === null) expect(after.every(isOther)).toBe(populatesAll);
      expect(bound(togglePopulated(once, [], link, links)), printUrl(query)).toEqual(bound(query));
      count++;
    });
    expect(count).toBeGreaterThan(200);
  });

  test('fields and relations of a populated attribute can be toggled', () => {
    let count = 0;
    forEachCase(({ urls, type, query, bound }) => {
      const names = query.selection.paths ? [] : query.selection.populate.filter(({ kept }) => kept.length === 0);
      if (names.length === 0) return;
      const { attribute, selection } = urls.random.pick(names);
      if (selection.populatesAll || selection.paths) return;
      const link = type.attributes.get(attribute);
      if (!link || isScalar(link) || !('target' in link) || link.fromPolymorphic) return;
      const target = store.schema.type(link.target);
      const all = scalarsOf(target);
      const field = urls.random.pick(all);
      if (!all.every((name) => selection.fields?.includes(name)) && field !== 'id') {
        const once = toggleField(query, [attribute], field, all);
        bound(once);
        expect(bound(toggleField(once, [attribute], field, all)), printUrl(query)).toEqual(bound(query));
      }
      const links = linksOf(target).filter((name) => !selection.populate.some((each) => each.attribute === name));
      if (links.length === 0) return;
      const inner = urls.random.pick(links);
      const once = togglePopulated(query, [attribute], inner, linksOf(target));
      expect(selectionAt(once, [attribute, inner])).not.toBeNull();
      bound(once);
      const twice = togglePopulated(once, [attribute], inner, linksOf(target));
      expect(selectionAt(twice, [attribute, inner])).toBeNull();
      expect(bound(twice), printUrl(query)).toEqual(bound(query));
      count++;
    });
    expect(count).toBeGreaterThan(20);
  });

  test('a chip that is added must hold, and nothing is left of it once it is removed', () => {
    let count = 0;
    forEachCase(({ urls, type, query, bound }) => {
      const path = routeOf(type);
      if (query.path !== path || type.kind === 'singleType') return;
      if (query.kept.some(({ path: [name, ...rest] }) => name.startsWith('filters') && rest.length === 0)) return;
      const chips = query.filters.filter((item): item is FilterChip => item.kind === 'chip');
      const chip: FilterChip =
        chips.length > 0 && urls.random.chance(50)
          ? urls.random.pick(chips)
          : { kind: 'chip', path: [urls.random.pick(scalarsOf(type))], operator: '$notNull', value: 'true' };
      const added = addFilter(query, chip);
      const { filter } = bound(added);
      const alone = bound({ ...parseUrl(path), locale: '*', filters: [chip] }).filter;
      expect(isPartOf(alone, filter), printUrl(added)).toBe(true);
      expect(bound(parseUrl(printUrl(added)))).toEqual(bound(added));
      const removed = removeFilter(added, query.filters.length);
      expect(bound({ ...removed, page: query.page, kept: query.kept })).toEqual(bound(query));
      count++;
    });
    expect(count).toBeGreaterThan(200);
  });

  test('sort and page of a list are replaced', () => {
    forEachCase(({ type, query, bound }) => {
      if (query.path !== routeOf(type) || type.kind === 'singleType') return;
      const sort = [{ path: 'id', descending: true }];
      expect(bound(withSort(query, sort)).sort).toMatchObject([{ path: ['id'], descending: true }]);
      const page = { page: '3', pageSize: '5' };
      expect(bound(withPage(query, page)).page).toMatchObject({ start: 10, limit: 5 });
    });
  });
});

describe('edits', () => {
  const edited = (url: string, edit: (query: ExploredQuery) => ExploredQuery) => printUrl(edit(parseUrl(url)));
  const chip = (value: string): FilterChip => ({ kind: 'chip', path: ['title'], operator: '$contains', value });

  test('a second chip with the same path and operator goes into $and', () => {
    const url = 'articles?filters[title][$contains]=a';
    const second = addFilter(parseUrl(url), chip('b'));
    expect(printUrl(second)).toBe(`${url}&filters[$and][0][title][$contains]=b`);
    expect(printUrl(addFilter(second, chip('c')))).toBe(
      `${url}&filters[$and][0][title][$contains]=b&filters[$and][1][title][$contains]=c`,
    );
  });

  test('a chip whose key is kept moves what is kept into $and', () => {
    const deep = 'articles?filters[$and][0][$or][0][$not][id]=1';
    expect(edited(deep, (query) => addFilter(addFilter(query, chip('a')), chip('b')))).toBe(
      'articles?filters[title][$contains]=a&filters[$and][0][title][$contains]=b' +
        '&filters[$and][1][$and][0][$or][0][$not][id]=1',
    );
  });

  test('a second $or goes into $and', () => {
    const query = parseUrl('articles?filters[$or][0][title][$contains]=a&filters[id][$eq]=1');
    const replaced = replaceFilter(query, 1, { kind: 'group', operator: '$or', chips: [chip('b')] });
    expect(printUrl(replaced)).toBe(
      'articles?filters[$or][0][title][$contains]=a&filters[$and][0][$or][0][title][$contains]=b',
    );
  });

  test('filters, search, status and locale go back to the first page', () => {
    const url = 'articles?pagination[page]=3&pagination[pageSize]=10';
    expect(edited(url, (query) => withParameter(query, 'search', 'a'))).toBe('articles?pagination[pageSize]=10&_q=a');
    expect(edited(url, (query) => addFilter(query, chip('a')))).toBe(
      'articles?filters[title][$contains]=a&pagination[pageSize]=10',
    );
  });

  test.each([
    ['articles?populate=*', [], 'author', 'articles?populate[tags]=true'],
    ['articles?populate=author,tags', [], 'tags', 'articles?populate=author'],
    ['articles?populate=author.team', ['author'], 'team', 'articles?populate=author'],
    ['articles?populate=author.team', [], 'tags', 'articles?populate[0]=author.team&populate[1]=tags'],
    ['articles?populate[author]=false', [], 'author', 'articles?populate[author]=true'],
    ['articles', ['author'], 'team', 'articles?populate[author][populate][team]=true'],
  ])('%s at %j toggles %s', (url, at, attribute, expected) => {
    expect(edited(url, (query) => togglePopulated(query, at, attribute, ['author', 'tags']))).toBe(expected);
  });

  test('a field of an attribute that a path leads to writes the path in brackets', () => {
    expect(
      edited('articles?populate=author.team', (query) => toggleField(query, ['author'], 'id', ['id', 'name'])),
    ).toBe('articles?populate[author][fields]=name&populate[author][populate][team]=true');
  });

  test('the last field gives way to the id, and the first one after it to all', () => {
    const all = ['title'];
    expect(edited('articles', (query) => toggleField(query, [], 'title', all))).toBe('articles?fields=id');
    expect(edited('articles?fields=id', (query) => toggleField(query, [], 'title', all))).toBe('articles');
  });

  test('a star unfolds', () => {
    expect(edited('articles?populate=*', (query) => unfoldPopulated(query, [], ['author', 'tags']))).toBe(
      'articles?populate[author]=true&populate[tags]=true',
    );
  });
});
