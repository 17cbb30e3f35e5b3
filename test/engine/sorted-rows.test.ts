/** Pages beyond the first are parts of sorted rows that are kept. They equal pages that are each found anew. */
import { expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import type { Change, Content, JsonSnapshot, Reply } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { openShared } from '../support/open-shared.ts';

const counts = { article: 2000, author: 30 };
type Name = keyof typeof counts;

const sorts = ['size', 'size:desc,id:desc', 'author.name', 'author.name:desc,size', 'title', 'author.size,title:desc'];
const filters = ['', 'filters[size][$gte]=2', 'filters[author][size][$lt]=4', 'filters[title][$contains]=1'];

function typeOf(name: Name, attributes: object): object {
  const attribute = { size: { type: 'integer' }, ...attributes };
  return { info: { singularName: name, pluralName: `${name}s` }, options: {}, attributes: attribute };
}

function entryOf(random: Random, name: Name, id: number): object {
  const documentId = `${name}-${id}`;
  const size = random.next() < 0.2 ? null : random.integer(1, 5);
  if (name === 'author') return { documentId, size, name: random.pick(['Ada', 'Bo', 'Cy', null]) };
  const author = random.next() < 0.2 ? null : `author-${random.integer(1, counts.author)}`;
  return { documentId, size, author, title: `title ${random.integer(1, 60)}` };
}

function snapshotOf(random: Random): JsonSnapshot {
  const entries = Object.fromEntries(
    (Object.keys(counts) as Name[]).map((name) => [
      name,
      Array.from({ length: counts[name] }, (_, i) => ({ id: i + 1, ...entryOf(random, name, i + 1) })),
    ]),
  );
  const author = { type: 'relation', relation: 'manyToOne', target: 'api::author.author' };
  const contentTypes = [
    typeOf('article', { title: { type: 'string' }, author }),
    typeOf('author', { name: { type: 'string' } }),
  ];
  return { contentTypes, entries } as unknown as JsonSnapshot;
}

function changeOf(random: Random, round: number): Change {
  const name = random.pick(Object.keys(counts) as Name[]);
  const id = random.next() < 0.3 ? 3000 + round : random.integer(1, counts[name]);
  return { upsert: `api::${name}.${name}`, entry: entryOf(random, name, id) } as unknown as Change;
}

test.each(Array.from({ length: caseCount(6, 2) }, (_, seed) => seed))(
  'pages of kept rows equal others through changes, seed %i',
  async (seed) => {
    const random = new Random(seed);
    const snapshot = snapshotOf(random);
    const plain = await openShared(snapshot, { cacheBytes: 0, public: true });
    const cached = await openShared(snapshot, { public: true });
    const body = (content: Content, url: string) => (content.answer(url) as Reply).body.toString();
    for (let round = 0; round < 6; round++) {
      for (const sort of sorts) {
        for (const filter of filters) {
          for (let ask = 0; ask < 12; ask++) {
            const url = `/api/articles?${filter}&sort=${sort}&pagination[start]=${random.integer(0, 2050)}&pagination[limit]=17`;
            expect(body(cached, url), url).toBe(body(plain, url));
          }
        }
      }
      const changes = [changeOf(random, round)];
      for (const content of [plain, cached]) content.apply({ changes });
    }
  },
);

test.each(['size,title', 'author.name,title'])(
  'further pages by %s are parts of kept rows once they have cost as much as sorting all',
  async (sort) => {
    const content = await openShared(snapshotOf(new Random(1)), { public: true });
    const { history } = content;
    const hits = Array.from({ length: 60 }, (_, i) => {
      content.answer(`/api/articles?sort=${sort}&pagination[start]=${1000 + i}&pagination[limit]=100`);
      return history.cacheFigures.rows.hits;
    });
    const firstHit = hits.indexOf(1);
    expect(firstHit).toBeGreaterThan(2);
    expect(hits.slice(firstHit)).toEqual(hits.slice(firstHit).map((_, i) => i + 1));
  },
);

test('a first page looks for no kept rows', async () => {
  const content = await openShared(snapshotOf(new Random(1)), { public: true });
  for (let limit = 1; limit <= 100; limit++) content.answer(`/api/articles?sort=title&pagination[limit]=${limit}`);
  expect(content.history.cacheFigures.rows).toMatchObject({ hits: 0, misses: 0, bytes: 0 });
});
