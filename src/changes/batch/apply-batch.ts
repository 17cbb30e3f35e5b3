import { mapAt } from '../../core/map-at.ts';
import type { Steps } from '../../core/steps.ts';
import { hasSameLocales, localesOf } from '../../store/locales.ts';
import type { BatchRows } from '../../store/overlay/batch-rows.ts';
import { digestAfterInSteps } from '../../store/overlay/digest-after.ts';
import { mergeDeltaInSteps } from '../../store/overlay/merge-delta.ts';
import { type LinkChanges, patchLinksInSteps } from '../../store/overlay/patch-links.ts';
import type { GivenLink } from '../../store/overlay/patched-lists.ts';
import { rowOfId, type Segment } from '../../store/segment.ts';
import { collectionOf, createStore, type Store, segmentOf } from '../../store/store.ts';
import { shownByNumber } from '../../store/writer/links/shown-by.ts';
import { schemaKey } from '../../store/writer/store-builder.ts';
import type { BatchLinks, LinkTarget } from './batch.ts';
import type { CheckedChanges } from './check-batch.ts';

/** The result of a batch. */
export interface AppliedBatch {
  readonly store: Store;
  /** By collection number: the rows that the batch wrote. */
  readonly upserted: ReadonlyMap<number, readonly number[]>;
}

/**
 * Returns the store after a batch that was checked for this content. The given store stays as it is. Both share what
 * does not differ. Takes a time that grows with the batch and with the changes since the base was built, and copies bit
 * sets of the rows of the types that the batch concerns.
 */
export function* applyBatchInSteps(store: Store, { built, deleted, links }: CheckedChanges): Steps<AppliedBatch> {
  const merged: Segment[] = [];
  for (const segment of store.segments) {
    const { uid } = segment.collection.type;
    const rows = built.get(uid) ?? null;
    const died = Array.from(deleted.get(uid) ?? [], (id) => rowOfId(segment, id)!);
    merged.push(rows || died.length > 0 ? yield* mergeDeltaInSteps(segment, rows, died) : segment);
  }
  const named = createStore(store, merged);
  yield;
  const upserted = upsertedRows(named, built);
  const changes = { upserted, replaced: yield* findReplacedLinksInSteps(named, links) };
  const { segments, relinked } = yield* patchLinksInSteps(store, merged, changes);
  const contentDigest = yield* digestAfterInSteps(store, createStore(store, segments), upserted, relinked);
  return { store: createStore({ ...store, ...localeFacts(store, segments), contentDigest }, segments), upserted };
}

/** Returns the locales after a batch, and the key of the schema, which depends on them. */
function localeFacts(store: Store, segments: readonly Segment[]): Pick<Store, 'locales' | 'schemaKey'> {
  const isSame = segments.every((segment, number) => hasSameLocales(store.segments[number], segment));
  if (isSame) return store;
  const { schema, defaultLocale } = store;
  const locales = localesOf(segments, defaultLocale);
  const known = [...store.locales];
  if (locales.size === known.length && [...locales].every((locale, i) => locale === known[i])) return store;
  return { locales, schemaKey: schemaKey(schema, defaultLocale, locales) };
}

/** By collection number: the rows that the batch writes. */
function upsertedRows(store: Store, built: ReadonlyMap<string, BatchRows>): Map<number, number[]> {
  return new Map(
    Array.from(built, ([uid, { ids }]) => {
      const segment = segmentOf(store, uid);
      return [segment.collection.number, Array.from(ids, (id) => rowOfId(segment, id)!)];
    }),
  );
}

function* findReplacedLinksInSteps(store: Store, lists: readonly BatchLinks[]): Steps<LinkChanges['replaced']> {
  const replaced = new Map<number, Map<string, Map<number, readonly GivenLink[]>>>();
  for (const { type, id, attribute, targets } of lists) {
    const segment = segmentOf(store, type);
    const { number } = segment.collection;
    const attributes = mapAt(replaced, number, () => new Map<string, Map<number, readonly GivenLink[]>>());
    const rows = mapAt(attributes, attribute, () => new Map<number, readonly GivenLink[]>());
    rows.set(
      rowOfId(segment, id)!,
      targets.map((target) => givenLink(store, target)),
    );
    yield;
  }
  return replaced;
}

function givenLink(store: Store, { type, id, position, inversePosition, inverse }: LinkTarget): GivenLink {
  const target = collectionOf(store, type);
  return {
    collection: target.number,
    row: rowOfId(segmentOf(store, type), id)!,
    position,
    inversePosition,
    shownBy: shownByNumber(target.type, inverse),
  };
}
