// An early page is found without the set of all matching rows. It must be the same page.
import fc from 'fast-check';
import qs from 'qs';
import { expect, test } from 'vitest';
import { caseCount } from '../support/cases.ts';
import { openShared } from '../support/open-shared.ts';

const filters = [
  ...['1', '2.5', '4'].flatMap((rating) => [{ rating: { $gte: rating } }, { rating: { $lt: rating } }]),
  { rating: { $between: ['2', '4'] } },
  { rating: { $null: true } },
  { rating: { $notNull: true } },
  { rating: { $ne: '3' } },
  { premium: { $eq: 'false' } },
  { kind: { $in: ['essay', 'report', 'review', 'portrait', 'letter'] } },
  { kind: { $notIn: ['essay', 'report'] } },
  { reading: { $gt: '5' } },
  { publishedOn: { $lt: '2023-06-01' } },
  { publishedOn: { $null: true } },
  { title: { $gte: 'M' } },
  { id: { $gt: '1000' } },
  { $not: { rating: { $lt: '2' } } },
  { author: { stars: { $gte: '2' } } },
  { author: { stars: { $null: true } } },
  { author: { team: { founded: { $lt: '1990-01-01' } } } },
];
const keys = ['rating', 'publishedOn', 'premium', 'kind', 'title', 'id', 'views', 'author.name', 'locale'];
const sortKey = fc.tuple(fc.constantFrom(...keys), fc.constantFrom('', ':desc')).map((parts) => parts.join(''));
const query = fc.record({
  filter: fc.constantFrom(...filters),
  sort: fc.array(sortKey, { maxLength: 3 }),
  seen: fc.constantFrom({}, { status: 'draft' }, { locale: 'de' }, { locale: '*' }, { locale: '*', status: 'draft' }),
  pagination: fc.oneof(
    fc.record({ page: fc.integer({ min: 1, max: 4 }), pageSize: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ start: fc.integer({ min: 0, max: 60 }), limit: fc.integer({ min: 0, max: 12 }) }),
  ),
});

const runs = caseCount(1600, 400);
/** One of so many queries is explained, to count early pages. */
const explained = 8;

test.each(['document', 'strapi'] as const)(
  'an early page equals the page taken from all matching rows, in the dialect %s',
  async (dialect) => {
    const tokens = [{ name: 'all', sha256: 'f'.repeat(64), type: 'full-access' as const }];
    const content = await openShared('data/demo', { cacheBytes: 0, dialect, tokens });
    const found = (filters: object, { seen, ...rest }: { seen: object }) =>
      content.find('articles', { filters, fields: ['title'], ...seen, ...rest });
    let run = 0;
    let early = 0;
    fc.assert(
      fc.property(query, ({ filter, ...rest }) => {
        // a second condition, which is true of every row, requires the set
        expect(found(filter, rest)).toEqual(found({ $and: [filter, { id: { $gt: 0 } }] }, rest));
        // an explanation takes as long as both requests
        if (run++ % explained > 0) return;
        const { seen, ...others } = rest;
        const { stages } = content.explain(`/api/articles?${qs.stringify({ filters: filter, ...seen, ...others })}`);
        if (!stages.some(({ stage }) => stage === 'rows')) early++;
      }),
      { numRuns: runs, seed: 20261122 },
    );
    expect(early).toBeGreaterThan(runs / explained / 14);
  },
);
