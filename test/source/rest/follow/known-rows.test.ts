import { expect, test, vi } from 'vitest';
import { Problems } from '../../../../src/core/problems.ts';
import { batchOfRows } from '../../../../src/follow/rest/follow/batch-of-rows.ts';
import { KnownRows, type RowState, stateOf } from '../../../../src/follow/rest/follow/known-rows.ts';
import { readKnownRows } from '../../../../src/follow/rest/follow/read-known-rows.ts';
import { Refresh } from '../../../../src/follow/rest/follow/refresh.ts';
import type { OwnList, SourceRow } from '../../../../src/follow/rest/follow/source-row.ts';
import { loadStrapiContent } from '../../../../src/load/strapi/strapi-content.ts';
import { prepareDigests } from '../../../../src/store/writer/rows/row-digest.ts';
import { Random } from '../../../strapi/random.ts';
import { caseCount } from '../../../support/cases.ts';
import { usedBytes } from '../../../support/heap.ts';
import { SimulatedRequests } from './simulated-requests.ts';
import { SimulatedStrapi, uids } from './simulated-strapi.ts';

await prepareDigests();

const types = ['api::article.article', 'api::tag.tag'];

function randomRow(random: Random, type: string, id: number): SourceRow {
  const targets = () =>
    random.many(0, 3, () => ({
      type: random.pick(types),
      id: random.integer(1, 12),
      ...(random.chance(50) && { inverse: random.pick(['', 'articles']) }),
    }));
  const list = (owner: string): OwnList => ({
    type: owner,
    id,
    attribute: random.pick(['tags', 'related']),
    targets: targets(),
  });
  return {
    type,
    id,
    documentId: random.chance(10) ? null : `document-${random.integer(1, 5)}`,
    published: random.chance(50),
    data: { updatedAt: random.pick(['2026-11-23T19:00:00.000Z', '2026-11-23 19:00', undefined, null, 7]) },
    lists: random.many(0, 2, () => list(random.pick([type, 'shared.card']))),
    sources: new Map(
      random.many(0, 2, () => [random.pick(['articles', 'tags']), random.many(1, 3, () => random.integer(1, 12))]),
    ),
  };
}

/** Returns what a row says, without the code of its class. */
const plain = ({ type, id, documentId, published, digest, updatedAt, lists, sources }: RowState): RowState => ({
  type,
  id,
  documentId,
  published,
  digest,
  updatedAt,
  lists,
  sources,
});

test('rows are found by id, by document and by the rows that they link to, after all changes', () => {
  for (let seed = 0; seed < caseCount(30, 10); seed++) {
    const random = new Random(seed);
    const known = new KnownRows();
    const states = new Map<string, RowState>();
    for (let step = 0; step < 60; step++) {
      const [type, id] = [random.pick(types), random.integer(1, 12)];
      if (random.chance(30)) {
        known.delete({ type, id });
        states.delete(`${type} ${id}`);
        continue;
      }
      const state = stateOf(randomRow(random, type, id));
      known.set(state);
      states.set(`${type} ${id}`, state);
    }
    const idsOf = (rows: Iterable<RowState>) => Array.from(rows, ({ type, id }) => `${type} ${id}`).sort();
    const all = [...states.values()];
    for (const type of types) {
      expect(idsOf(known.ofType(type))).toEqual(idsOf(all.filter((row) => row.type === type)));
      for (let id = 1; id <= 12; id++) {
        const row = known.get(type, id);
        expect(row && plain(row)).toEqual(states.get(`${type} ${id}`));
        const linking = all.filter(({ lists }) =>
          lists.some(({ targets }) => targets.some((target) => target.type === type && target.id === id)),
        );
        expect(idsOf(known.linkingTo({ type, id }))).toEqual(idsOf(linking));
      }
      for (let i = 1; i <= 5; i++) {
        const of = all.filter((row) => row.type === type && row.documentId === `document-${i}`);
        expect(idsOf(known.ofDocument(type, `document-${i}`))).toEqual(idsOf(of));
      }
    }
  }
});

test('documents that are named are read without a look at all rows of a type', async () => {
  const strapi = new SimulatedStrapi(new Random(1), 6);
  const { store } = await loadStrapiContent(strapi.content, 'strapi', new Problems('strict'), { dialect: 'strapi' });
  const known = await readKnownRows(strapi.content, store.schema);
  const [article] = strapi.documents('article');
  const [author] = strapi.documents('author');
  strapi.publish('article', article);
  strapi.delete('author', author);
  const refresh = new Refresh(store.schema, known, new SimulatedRequests(strapi, store.schema));
  refresh.addDocument(uids.article, article);
  refresh.addDocument(uids.author, author);
  const ofType = vi.spyOn(known, 'ofType');
  await refresh.run();
  batchOfRows(refresh.rows);
  expect(ofType).not.toHaveBeenCalled();
});

test('a row with four links takes less than 600 bytes', () => {
  const count = 20_000;
  const [article, tag] = types;
  const known = new KnownRows();
  const before = usedBytes();
  for (let id = 1; id <= count; id++) {
    const list = (attribute: string, ...ids: number[]): OwnList => {
      return { type: article, id, attribute, targets: ids.map((target) => ({ type: tag, id: target })) };
    };
    const updatedAt = new Date(1_700_000_000_000 + id).toISOString();
    const related = { ...list('related', ((7 * id) % count) + 1), inverse: 'related' };
    known.set(
      stateOf({
        type: article,
        id,
        documentId: `document-of-24-letters-${id >> 1}`,
        published: id % 2 === 0,
        data: { title: `Article ${id}`, updatedAt },
        lists: [list('author', id % 500), list('tags', id % 100, (2 * id) % 100), related],
        sources: new Map(),
      }),
    );
  }
  expect((usedBytes() - before) / count).toBeLessThan(600);
  expect(known.get(article, count)!.lists).toHaveLength(3);
});
