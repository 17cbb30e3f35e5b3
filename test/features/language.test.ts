// With a language, accents make no difference to what ignores case: the content answers as one that has no accents.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database, Dialect } from '../naive/snapshot.ts';
import { contentTypes } from '../naive/types.ts';
import { withoutAccents } from '../naive/values.ts';
import { cases } from '../property/arbitraries.ts';
import { askDirectly, type Engine, openCase } from '../property/engine.ts';
import { caseCount } from '../support/cases.ts';

const operators = ['$eqi', '$nei', '$containsi', '$notContainsi', '$startsWithi', '$endsWithi'];
/** These take texts as they are. */
const others = ['$eq', '$ne', '$contains', '$notContains', '$startsWith', '$endsWith', '$in', '$gt'];
const operands = ['Öl', 'o', 'AH', 'ähre', 'cote', 'CÔTÉ', 'e\u0301', 'É', 'istanbul', 'i', 'ñ', 'nu', 'ß', 'a'];

function plain(value: unknown): unknown {
  if (typeof value === 'string') return withoutAccents(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function idsOf(engine: Engine, name: string, query: Record<string, unknown>): unknown {
  const { status, body } = askDirectly(engine, { name, query: { ...query, locale: '*', pagination: { limit: 100 } } });
  return status === 200 ? (body as { data: { id: number }[] }).data.map(({ id }) => id) : body;
}

test.each<[Dialect, Database]>([
  ['document', 'postgres'],
  ['strapi', 'postgres'],
  ['strapi', 'sqlite'],
  ['document', 'mysql'],
])('in the dialect %s, by the rules of %s', async (dialect, database) => {
  let found = 0;
  let more = 0;
  const options = { dialect, database, features: ['languageAware'] as const, requests: 1, withRoles: false };
  const property = fc.asyncProperty(cases(options), async (value) => {
    const accented = await openCase(value);
    const bare = await openCase({ ...value, snapshot: plain(value.snapshot) as typeof value.snapshot });
    for (const type of Object.values(contentTypes(value.snapshot))) {
      if (!type.uid.startsWith('api::') || type.kind === 'singleType') continue;
      const texts = Object.keys(type.attributes).filter((name) => {
        return !type.attributes[name]!.private && ['string', 'text', 'richtext'].includes(type.attributes[name]!.type);
      });
      const asked = operands.flatMap((operand) => [
        { query: { _q: operand }, other: { _q: withoutAccents(operand) } },
        ...texts.slice(0, 2).flatMap((name) => {
          return operators.map((operator) => ({
            query: { filters: { [name]: { [operator]: operand } } },
            other: { filters: { [name]: { [operator]: withoutAccents(operand) } } },
          }));
        }),
      ]);
      for (const { query, other } of asked) {
        const ids = idsOf(accented, type.pluralName, { ...query, language: 'de' });
        expect({ query, ids }).toEqual({ query, ids: idsOf(bare, type.pluralName, other) });
        if (!Array.isArray(ids) || ids.length === 0) continue;
        found++;
        if (ids.length > (idsOf(accented, type.pluralName, query) as unknown[]).length) more++;
      }
      for (const name of texts.slice(0, 1)) {
        for (const operator of others) {
          for (const operand of operands.slice(0, 8)) {
            const query = { filters: { [name]: { [operator]: operand } } };
            const ids = idsOf(accented, type.pluralName, { ...query, language: 'de' });
            expect({ query, ids }).toEqual({ query, ids: idsOf(accented, type.pluralName, query) });
          }
        }
      }
    }
  });
  await fc.assert(property, { seed: 20261126, numRuns: caseCount(15, 5) });
  expect(found).toBeGreaterThan(100);
  expect(more).toBeGreaterThan(20);
});
