/** Filters and sorts through relations to one row find the same rows by a joined column as by following links. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Random } from '../../bench/random.ts';
import type { Change, Content, JsonSnapshot, Reply } from '../../src/index.ts';
import { JoinedColumns, type JoinedValues } from '../../src/query/visible/joined-columns.ts';
import { caseCount } from '../support/cases.ts';
import { openShared } from '../support/open-shared.ts';

const counts = { article: 120, author: 40, team: 12 };

function typeOf(name: string, attributes: object, draftAndPublish = false): object {
  return { info: { singularName: name, pluralName: `${name}s` }, options: { draftAndPublish }, attributes };
}

const toOne = (target: string) => ({ type: 'relation', relation: 'manyToOne', target: `api::${target}.${target}` });

/** Draws the values of an entry. Some authors are drafts, so links to them do not count for published articles. */
function entryOf(random: Random, name: keyof typeof counts, id: number): Record<string, unknown> {
  const documentId = `${name}-${id}`;
  const linkTo = (target: keyof typeof counts) =>
    random.next() < 0.2 ? null : `${target}-${random.integer(1, counts[target])}`;
  const size = random.next() < 0.3 ? null : random.integer(1, 6);
  const league = random.pick(['north', 'south', 'Harbour', null]);
  if (name === 'article') return { documentId, size, author: linkTo('author') };
  return name === 'author' ? { documentId, size, team: linkTo('team') } : { documentId, size, league };
}

function snapshotOf(random: Random): JsonSnapshot {
  const size = { type: 'integer' };
  const entries = Object.fromEntries(
    (Object.keys(counts) as (keyof typeof counts)[]).map((name) => [
      name,
      Array.from({ length: counts[name] }, (_, i) => ({
        id: i + 1,
        ...entryOf(random, name, i + 1),
        ...(name === 'author' && { status: i % 5 === 0 ? 'draft' : 'published' }),
      })),
    ]),
  );
  const contentTypes = [
    typeOf('article', { size, author: toOne('author') }),
    typeOf('author', { size, team: toOne('team') }, true),
    typeOf('team', { size, league: { type: 'string' } }),
  ];
  return { contentTypes, entries } as unknown as JsonSnapshot;
}

const filters = [
  'filters[author][size]=3',
  'filters[author][size][$null]=true',
  'filters[author][size][$notNull]=true',
  'filters[author][size][$ne]=2',
  'filters[author][size][$between][0]=2&filters[author][size][$between][1]=4',
  'filters[author][team][league]=Harbour',
  'filters[author][team][league][$containsi]=o',
  'filters[author][team][league][$null]=true',
  'filters[author][team][size][$in][0]=1&filters[author][team][size][$in][1]=5',
  'filters[$not][author][team][size][$gte]=3',
  'filters[$or][0][author][size]=1&filters[$or][1][author][team][league]=south',
  'filters[size]=2&filters[author][team][league][$startsWith]=n',
];

const sorts = [
  'sort=author.size',
  'sort=author.size:desc,size',
  'sort=author.team.league:desc,author.size',
  'filters[size]=2&sort=author.team.size',
];

/** Replies to queries, each asked often enough for its columns to be built. */
function answers(content: Content): string[] {
  const queries = [...filters.map((filter) => `${filter}&sort=id`), ...sorts];
  const urls = queries.map((query) => `/api/articles?${query}&fields=size&pagination[pageSize]=200`);
  return urls.map((url) => {
    for (let i = 0; i < 8; i++) content.answer(url);
    return (content.answer(url) as Reply).body.toString();
  });
}

let found: (JoinedValues | null)[] = [];
const { find } = JoinedColumns.prototype;

beforeEach(() => {
  found = [];
  vi.spyOn(JoinedColumns.prototype, 'find').mockImplementation(function (this: JoinedColumns, ...given) {
    const values = find.apply(this, given);
    found.push(values);
    return values;
  });
});
afterEach(() => vi.restoreAllMocks());

function followed(content: Content): string[] {
  const spy = vi.spyOn(JoinedColumns.prototype, 'find').mockReturnValue(null);
  const expected = answers(content);
  spy.mockImplementation(function (this: JoinedColumns, ...given) {
    const values = find.apply(this, given);
    found.push(values);
    return values;
  });
  return expected;
}

/** Draws changes: entries with other values and links, new ones, and deletions. */
function changesOf(random: Random, round: number): Change[] {
  return Array.from({ length: random.integer(1, 4) }, (_, i): Change => {
    const name = random.pick(Object.keys(counts) as (keyof typeof counts)[]);
    const type = `api::${name}.${name}`;
    const isNew = random.next() < 0.25;
    const id = isNew ? 1000 + round * 10 + i : random.integer(1, counts[name]);
    const status = name === 'author' ? { status: random.pick(['draft', 'published']) } : {};
    if (!isNew && random.next() < 0.25) {
      const deleted = { delete: type, documentId: `${name}-${id}` } as unknown as Change;
      return deleted;
    }
    return { upsert: type, entry: { ...entryOf(random, name, id), ...status } } as unknown as Change;
  });
}

describe('joined columns', () => {
  test.each(Array.from({ length: caseCount(12, 3) }, (_, seed) => seed))(
    'give the rows of links, seed %i',
    async (seed) => {
      const random = new Random(seed);
      const content = await openShared(snapshotOf(random), { cacheBytes: 0, public: true });
      expect(answers(content)).toEqual(followed(content));
      expect(found.filter((values) => values !== null).length).toBeGreaterThan(20);
      let uncertain = 0;
      for (let round = 0; round < 10; round++) {
        try {
          content.apply({ changes: changesOf(random, round) });
        } catch {
          // an entry may be deleted twice
          continue;
        }
        found = [];
        expect(answers(content), `round ${round}`).toEqual(followed(content));
        uncertain += found.filter((values) => values !== null && values.uncertain.length > 0).length;
      }
      expect(uncertain).toBeGreaterThan(0);
    },
  );
});
