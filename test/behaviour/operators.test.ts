import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, openGuide, pathOfKey } from '../support/guide.ts';

// Each file of test/cases holds hand-written expectations for one operator of specification 4.2, worked out from
// test/fixtures/guide, for the public role. A case holds in both dialects unless it names one. It expects ids (sorted)
// or an error.

interface Details {
  key: string;
  path: string | null;
}

interface OperatorCases {
  operator: string;
  cases: {
    title: string;
    query: string;
    path: string;
    ids?: number[];
    status?: number;
    details?: Details;
    /** The only dialect that the case holds in. */
    dialect?: 'document' | 'strapi';
  }[];
}

const operators = [
  ...['$eq', '$eqi', '$ne', '$nei', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn'],
  ...['$contains', '$notContains', '$containsi', '$notContainsi', '$null', '$notNull', '$between'],
  ...['$startsWith', '$startsWithi', '$endsWith', '$endsWithi', '$or', '$and', '$not'],
];

const folder = new URL('../cases/', import.meta.url);
const files = readdirSync(folder).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as OperatorCases),
}));

test('each of the 24 operators has exactly one file, named after it', () => {
  expect(operators).toHaveLength(24);
  expect(files.map((file) => file.operator).sort()).toEqual([...operators].sort());
  for (const { file, operator } of files) expect(`$${file}`).toBe(`${operator}.json`);
});

test('each operator has eight cases or more, each with a unique title and one expectation', () => {
  for (const { operator, cases } of files) {
    expect(cases.length, operator).toBeGreaterThanOrEqual(8);
    expect(new Set(cases.map(({ title }) => title)).size, operator).toBe(cases.length);
    for (const { title, ids, status } of cases) {
      expect((ids === undefined) !== (status === undefined), `${operator}: ${title}`).toBe(true);
    }
  }
});

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });

  describe.each(files)('$operator', ({ cases }) => {
    test.each(cases.filter((one) => (one.dialect ?? dialect) === dialect))(
      '$title: $query',
      async ({ query, path, ids, status, details }) => {
        const answer = await ask(content, path, `${query}&sort=id&pagination[pageSize]=100`);
        const { body } = answer;
        if (ids === undefined) {
          expect(answer.status, JSON.stringify(body)).toBe(status);
          expect(body.data).toBeNull();
          expect(body.error).toMatchObject({ status, name: 'ValidationError' });
          if (details === undefined) return;
          if (dialect === 'strapi') expect(body.error?.details).toEqual(details);
          else expect(body.error?.details).toMatchObject({ ...details, path: pathOfKey(details.key, details.path) });
        } else {
          expect(answer.status, JSON.stringify(body)).toBe(200);
          expect((body.data as { id: number }[]).map((entry) => entry.id)).toEqual(ids);
          const pageCount = ids.length === 0 ? 0 : 1;
          expect(body.meta).toEqual({ pagination: { page: 1, pageSize: 100, pageCount, total: ids.length } });
        }
      },
    );
  });
});
