// Search, facets and totals count the versions that are shown with fallback locales, one entry a document.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentTypes } from '../naive/types.ts';
import { cases } from '../property/arbitraries.ts';
import { askDirectly, type Engine, openCase } from '../property/engine.ts';
import { caseCount } from '../support/cases.ts';

type Query = Record<string, unknown>;

interface Reply {
  data: { id: number; documentId: string; title: string | null; locale: string }[];
  meta: { pagination: { total: number }; facets?: Record<string, { values: { value: unknown; count: number }[] }> };
}

function read(engine: Engine, name: string, query: Query): Reply {
  const { status, body } = askDirectly(engine, { name, query: { ...query, pagination: { limit: 100 } } });
  expect({ query, status, body }).toMatchObject({ query, status: 200 });
  return body as Reply;
}

test.each(['document', 'strapi'] as const)('in the dialect %s', async (dialect) => {
  let fallen = 0;
  let searched = 0;
  const options = { dialect, features: ['fallbackLocale'] as const, requests: 1, withRoles: false };
  const property = fc.asyncProperty(cases(options), fc.integer({ min: 0, max: 3 }), async (value, draw) => {
    const engine = await openCase(value);
    const locales = value.snapshot.settings!.locales!.map(({ code }) => code);
    const locale = locales[draw % locales.length]!;
    const versions: Query = { locale, fallbackLocale: locales.join(','), status: draw > 1 ? 'draft' : 'published' };
    for (const type of Object.values(contentTypes(value.snapshot))) {
      if (!type.localized || type.kind === 'singleType') continue;
      const { data, meta } = read(engine, type.pluralName, versions);
      const everywhere = read(engine, type.pluralName, { ...versions, fallbackLocale: undefined, locale: '*' }).data;
      // one entry for each document that there is, in the first locale that it has
      if (everywhere.length === 100) continue;
      expect(meta.pagination.total).toBe(data.length);
      expect(data.map(({ documentId }) => documentId).sort()).toEqual(
        [...new Set(everywhere.map(({ documentId }) => documentId))].sort(),
      );
      for (const entry of data) {
        const own = everywhere.filter(({ documentId }) => documentId === entry.documentId);
        const first = [locale, ...locales].find((code) => own.some((other) => other.locale === code));
        expect(entry.locale).toBe(first);
        if (entry.locale !== locale) fallen++;
      }
      const shown = new Set(data.map(({ id }) => id));
      for (const _q of ['a', 'é', 'ist']) {
        const inAll = read(engine, type.pluralName, { ...versions, fallbackLocale: undefined, locale: '*', _q }).data;
        const ids = read(engine, type.pluralName, { ...versions, _q }).data.map(({ id }) => id);
        expect({ _q, ids }).toEqual({ _q, ids: inAll.map(({ id }) => id).filter((id) => shown.has(id)) });
        searched += ids.length;
      }
      const { facets } = read(engine, type.pluralName, { ...versions, facets: ['title'] }).meta;
      const counts = new Map<unknown, number>();
      for (const { title } of data) counts.set(title, (counts.get(title) ?? 0) + 1);
      const counted = facets!.title!.values.map(({ value: title, count }) => [title, count] as const);
      expect(new Map(counted)).toEqual(counts);
    }
  });
  await fc.assert(property, { seed: 20261126, numRuns: caseCount(100, 25) });
  expect(fallen).toBeGreaterThan(20);
  expect(searched).toBeGreaterThan(20);
});
