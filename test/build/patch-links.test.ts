/** Links after batches of changes are those of a fresh build of the same content. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { RelationAttribute } from '../../src/model/schema/schema.ts';
import { type Adjacency, type PolymorphicAdjacency, positionAt, targetsOf } from '../../src/store/links/adjacency.ts';
import { patchedLinks } from '../../src/store/links/link-patch.ts';
import { readNumber } from '../../src/store/read-value.ts';
import { Segment } from '../../src/store/segment.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { caseCount } from '../support/cases.ts';
import { countReads } from './counted-reads.ts';
import {
  applyToContent,
  applyToStore,
  baseOf,
  build,
  copyOf,
  histories,
  idsInLoadOrder,
  uids,
} from './linked-content.ts';

beforeAll(prepareDigests);

/** One link, as its list has it. */
function describeLinks(
  links: Adjacency | PolymorphicAdjacency,
  row: number,
  nameOf: (row: number, collection?: number) => string,
) {
  const patched = links.patch && patchedLinks(links.patch, row);
  if (patched) {
    const { targets, positions, collections, inversePositions, shownBy } = patched;
    return Array.from(targets, (target, i) => [
      nameOf(target, collections?.[i]),
      positions?.[i],
      inversePositions?.[i],
      shownBy?.[i] ?? 0,
    ]);
  }
  const { offsets, targets, positions } = links;
  const { collections, inversePositions, shownBy } = links as Partial<PolymorphicAdjacency>;
  const start = offsets[row]!;
  return Array.from(targets.subarray(start, offsets[row + 1]), (target, i) => [
    nameOf(target, collections?.[start + i]),
    positions ? positionAt(positions, start + i, i) : undefined,
    inversePositions ? positionAt(inversePositions, start + i, i) : undefined,
    shownBy?.[start + i] ?? 0,
  ]);
}

/** Every list of a store, by the id of its row. Dead rows have no links. */
function listsOf(store: Store): Map<string, unknown[]> {
  const lists = new Map<string, unknown[]>();
  const nameOf = (row: number, number: number) => `${number}:${readNumber(store.segments[number]!, row, 'id')}`;
  for (const { type, number, links, polymorphic, versions } of store.collections) {
    const add = (name: string, adjacency: Adjacency, source: number, target: number) => {
      const segment = store.segments[source]!;
      checkPatch(adjacency, segment.rowCount);
      for (let row = 0; row < segment.rowCount; row++) {
        const list = describeLinks(adjacency, row, (other, collection) => nameOf(other, collection ?? target));
        if (segment.isLive(row)) lists.set(`${type.uid} ${name} ${nameOf(row, source)}`, list);
        else expect(list).toEqual([]);
      }
    };
    for (const [name, { forward, reverse }] of links) {
      const target = store.byUid.get((type.attributes.get(name) as { target: string }).target)!.number;
      add(`${name} forward`, forward, number, target);
      add(`${name} reverse`, reverse, target, number);
    }
    for (const [name, adjacency] of polymorphic) add(name, adjacency, number, number);
    if (versions) add('versions forward', versions.forward, number, number);
    if (versions) add('versions reverse', versions.reverse, number, number);
  }
  return lists;
}

/** Checks that all rows are known, and that the counts of a patch are right. */
function checkPatch({ offsets, patch }: Adjacency, rowCount: number): void {
  if (!patch) return expect(offsets).toHaveLength(rowCount + 1);
  const lists = [...patch.lists.values()];
  expect(patch.rows.size).toBe(rowCount);
  expect(lists.every(({ targets }) => targets.length > 0)).toBe(true);
  expect(patch.linkCount).toBe(lists.reduce((sum, { targets }) => sum + targets.length, 0));
  expect(patch.unlinkedCount).toBe(patch.rows.count() - patch.lists.size);
}

test('after any batches, every list and the digest are those of a fresh build', () => {
  fc.assert(
    fc.property(histories, ({ shape, base, isShuffled, changes }) => {
      const { schema, content, store: first } = baseOf(shape, base, isShuffled);
      let store = first;
      for (const batch of changes) {
        store = applyToStore(store, shape, applyToContent(content, batch)).store;
      }
      const fresh = build(schema, shape, content, (uid) => idsInLoadOrder(store, uid));
      expect(listsOf(store)).toEqual(listsOf(fresh));
      expect(store.contentDigest).toBe(fresh.contentDigest);
    }),
    { numRuns: caseCount(200, 30), seed: 20 },
  );
});

test('a batch without links keeps every adjacency, if rows stay in their documents', () => {
  fc.assert(
    fc.property(histories, ({ shape, base, isShuffled }) => {
      const { content, store } = baseOf(shape, base, isShuffled);
      const upserted = uids.flatMap((uid) => Array.from(content.rows.get(uid)!, ([id, row]) => ({ uid, id, row })));
      const { segments } = applyToStore(store, shape, { upserted, deleted: [], links: [] });
      for (const [number, { collection }] of segments.entries()) expect(collection).toBe(store.collections[number]);
    }),
    { numRuns: caseCount(200, 8), seed: 20 },
  );
});

test('a row whose status changes has other localizations', () => {
  const shape = { omitted: [], drafts: true, localized: true, linksLocalizations: false };
  const rowOf = (id: number, published: boolean) => ({
    uid: 'api::a.a',
    id,
    row: { documentId: 'x', values: {}, published },
  });
  const localizationsOf = (store: Store) => {
    const links = store.byUid.get('api::a.a')!.links.get('localizations')!.forward;
    return [0, 1, 2].map((row) => [...targetsOf(links, row)]);
  };
  const upserted = [rowOf(1, true), rowOf(2, true), rowOf(3, false)];
  const { store } = baseOf(shape, { upserted, deleted: [], links: [] }, false);
  expect(localizationsOf(store)).toEqual([[1], [0], []]);
  const changed = applyToStore(store, shape, { upserted: [rowOf(2, false)], deleted: [], links: [] });
  expect(localizationsOf(changed.store)).toEqual([[], [2], [1]]);
});

test('a link that only moves in the list of its target is copied with its position there', () => {
  const shape = { omitted: [], drafts: false, localized: false, linksLocalizations: false };
  const row = { documentId: null, values: {}, published: false };
  const tagOf = (inversePosition: number) => ({
    uid: 'api::a.a',
    id: 1,
    attribute: 'tags',
    targets: [{ type: 'api::b.b', id: 1, position: 0, inversePosition, inverse: undefined }],
  });
  const upserted = ['api::a.a', 'api::b.b'].map((uid) => ({ uid, id: 1, row }));
  const { store } = baseOf(shape, { upserted, deleted: [], links: [tagOf(2)] }, false);
  const changed = applyToStore(store, shape, { upserted: [], deleted: [], links: [tagOf(1)] });
  expect(copyOf(changed.store, shape).contentDigest).toBe(changed.store.contentDigest);
});

test('links of an attribute leave the adjacencies of others as they are', () => {
  fc.assert(
    fc.property(histories, ({ shape, base, isShuffled, changes: [{ links }] }) => {
      const { content, store } = baseOf(shape, base, isShuffled);
      const [first] = applyToContent(content, { upserted: [], deleted: [], links: links.slice(0, 1) }).links;
      if (!first) return;
      const { segments } = applyToStore(store, shape, { upserted: [], deleted: [], links: [first] });
      const owned = `${first.uid} ${first.attribute}`;
      const isConcerned = (uid: string, name: string) => {
        const attribute = store.schema.type(uid).attributes.get(name) as RelationAttribute;
        return `${uid} ${name}` === owned || `${attribute.target} ${attribute.inverse}` === owned || name === 'related';
      };
      for (const [number, { collection }] of segments.entries()) {
        const before = store.collections[number]!;
        const { uid } = collection.type;
        for (const [name, pair] of collection.links)
          if (!isConcerned(uid, name)) expect(pair).toBe(before.links.get(name));
        for (const [name, links] of collection.polymorphic) {
          if (!isConcerned(uid, name)) expect(links).toBe(before.polymorphic.get(name));
        }
        expect(collection.versions).toBe(before.versions);
      }
    }),
    { numRuns: caseCount(200, 10), seed: 20 },
  );
});

/** Counts the targets of polymorphic links that are read. */
function countPolymorphicReads(store: Store) {
  const counts: (() => number)[] = [];
  const watched = store.segments.map(({ collection }) => {
    const polymorphic = Array.from(collection.polymorphic, ([name, links]) => {
      const { counted, reads } = countReads(links.targets);
      counts.push(reads);
      return [name, { ...links, targets: counted }] as const;
    });
    return new Segment(Object.freeze({ ...collection, polymorphic: new Map(polymorphic) }));
  });
  return { store: createStore(store, watched), reads: () => counts.reduce((sum, reads) => sum + reads(), 0) };
}

test('the death of an entry with components searches no dynamic zone, and no list without links to its type', () => {
  const shape = { omitted: ['related'], drafts: false, localized: false, linksLocalizations: false };
  const row = { documentId: null, values: {}, published: false };
  const idsOfAll = Array.from({ length: 100 }, (_, i) => i + 1);
  const linkTo = (type: string, id: number) => ({ type, id, position: 0, inversePosition: 0, inverse: undefined });
  const base = {
    upserted: ['api::a.a', 'api::b.b', 'part.one'].flatMap((uid) => idsOfAll.map((id) => ({ uid, id, row }))),
    deleted: [],
    links: idsOfAll.flatMap((id) => [
      { uid: 'api::a.a', id, attribute: 'zone', targets: [linkTo('part.one', id)] },
      { uid: 'api::a.a', id, attribute: 'targets', targets: [linkTo('api::b.b', id)] },
    ]),
  };
  const { store, reads } = countPolymorphicReads(baseOf(shape, base, false).store);
  const deleted = [
    { uid: 'api::a.a', id: 1 },
    { uid: 'part.one', id: 1 },
  ];
  applyToStore(store, shape, { upserted: [], deleted, links: [] });
  expect(reads()).toBeLessThan(10);
});
