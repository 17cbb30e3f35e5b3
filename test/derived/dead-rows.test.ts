// What is derived from a store follows the rows that die.
import { describe, expect, test } from 'vitest';
import { findUser } from '../../src/engine/store-access.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { roleType, userType } from '../../src/model/schema/schema.ts';
import { publicationFilters } from '../../src/query/bound.ts';
import { entrySuffix } from '../../src/query/reply/envelope.ts';
import { DerivedRegistry } from '../../src/query/visible/registry.ts';
import type { Scope } from '../../src/query/visible/scope.ts';
import { ScopeCache } from '../../src/query/visible/scope-cache.ts';
import { Segment } from '../../src/store/segment.ts';
import { collectionOf, type Store, segmentOf } from '../../src/store/store.ts';
import { loadShared } from '../support/open-shared.ts';

/** Documents with one to four versions: published or draft, in English or German. */
function things(): object[] {
  const entries: object[] = [];
  for (let i = 0; i < 240; i++) {
    const statuses = ['published', 'draft'].filter((_, at) => (at === 0 ? i % 5 !== 0 : i % 4 !== 1));
    for (const status of statuses) {
      for (const locale of i % 3 === 0 ? ['en', 'de'] : ['en']) {
        const id = entries.length + 1;
        const updatedAt = `2026-01-0${status === 'draft' && i % 7 < 3 ? 2 : 1}T00:00:00.000Z`;
        const size = i % 13 === 0 ? null : (id * 31) % 40;
        entries.push({ id, documentId: `thing-${i}`, status, locale, updatedAt, size });
      }
    }
  }
  return entries;
}

const contentTypes = [
  {
    info: { singularName: 'thing', pluralName: 'things' },
    options: { draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
    attributes: { size: { type: 'integer' } },
  },
];
const settings = { defaultLocale: 'en', locales: [{ code: 'en' }, { code: 'de' }] };
const snapshot = { contentTypes, entries: { thing: things() }, settings } as unknown as JsonSnapshot;

describe('a dead', () => {
  const withDead = async (uid: string, row: number) => {
    const { store } = await loadShared('data/demo');
    const { collection, id } = segmentOf(store, uid);
    const segments = store.segments.map((segment) =>
      segment.collection === collection ? new Segment(collection, Uint32Array.of(row), id) : segment,
    );
    return [store, { ...store, segments }];
  };

  test('user is not found, and its role counts one user less', async () => {
    const stores = await withDead(userType, 0);
    const id = collectionOf(stores[0], userType).jsonRows.value(0, 'id') as number;
    const found = stores.map((store) => findUser(store, id));
    expect(found).toEqual([expect.anything(), undefined]);
    const counted = stores.map((store) => {
      const roles = collectionOf(store, roleType);
      const suffix = entrySuffix(store, roles, true, false)!;
      return Array.from({ length: roles.rowCount }, (_, row) => Number(/\d+/.exec(String(suffix(row)))![0]));
    });
    const [all, live] = counted.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    expect(live).toBe(all - 1);
  });

  test('role is no role of a user', async () => {
    const stores = await withDead(roleType, 1);
    const dead = collectionOf(stores[0], roleType).jsonRows.value(1, 'type');
    const users = collectionOf(stores[0], userType);
    const rolesIn = (store: Store) =>
      Array.from(
        { length: users.rowCount },
        (_, row) => findUser(store, users.jsonRows.value(row, 'id') as number)!.role,
      );
    expect(rolesIn(stores[0])).toContain(dead);
    expect(rolesIn(stores[1])).toEqual(rolesIn(stores[0]).map((role) => (role === dead ? null : role)));
  });
});

describe('what is derived from a segment', () => {
  const scope: Scope = { status: 'published', locale: 'en', publication: null };
  const codes = [{ low: 5, high: 20 }];
  const thing = async () => segmentOf((await loadSnapshot(snapshot)).store, 'api::thing.thing');

  test('counts the rows that live, by any scope and list of dead rows', async () => {
    const { collection, id } = await thing();
    const visible = new ScopeCache(new DerivedRegistry(2 ** 20));
    const size = collection.columns.get('size')!;
    const hasCode = size.rowPredicate({ kind: 'ranges', ranges: codes });
    const rows = Array.from({ length: collection.rowCount }, (_, row) => row);
    // every third: if only one version of a document dies, a publication filter may select the others
    const lists = [[], [3], [3, 4, 90], [90], rows.filter((row) => row % 3 === 0), rows];
    for (const publication of [null, ...publicationFilters]) {
      for (const dead of lists) {
        const segment = new Segment(collection, Uint32Array.from(dead), id);
        const set = visible.rowsFor(segment, { ...scope, publication });
        const found = [...set.rows.toArray()];
        expect(found.filter((row) => dead.includes(row))).toEqual([]);
        expect(set.count).toBe(found.length);
        expect(set.countWith(size, codes)).toBe(found.filter(hasCode).length);
      }
    }
  });

  test('survives new dead rows, and the replacement of another segment', async () => {
    const registry = new DerivedRegistry(2 ** 20);
    const visible = new ScopeCache(registry);
    const base = await thing();
    const size = base.collection.columns.get('size')!;
    const count = (segment: Segment) => visible.rowsFor(segment, scope).countWith(size, codes);
    const before = count(base);
    visible.rowsFor(await thing(), scope);
    const [dead] = visible.rowsFor(base, scope).rows.toArray();
    const { misses, bytes } = registry.statistics;
    // another small segment takes the place of the one beside the base, in which a row has died
    const changed = new Segment(base.collection, Uint32Array.of(dead), base.id);
    visible.rowsFor(await thing(), scope);
    expect(registry.statistics.misses).toBe(misses + 1);
    expect([before, before - 1]).toContain(count(changed));
    expect(count(base)).toBe(before);
    // only the set of the other segment was added
    expect(registry.statistics.misses).toBe(misses + 1);
    expect(registry.statistics.bytes).toBeLessThan(bytes + 2048);
  });
});
