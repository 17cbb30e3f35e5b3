/**
 * Shows content as if every document were published in the state of its draft. This is a second store over the same
 * arrays, not a scope of queries: links have to lead to drafts, so a store with other links is needed in any case, and
 * it also says which rows are shown. No type has a status in it, so any status in a query means the same.
 */

import type { BitSet } from '../../core/sets/bit-set.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import type { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import { type HiddenRows, hiddenInCollection, hiddenInSegment, hideComponents } from './hidden-rows.ts';
import { redirectLinksInSteps, type ShownDrafts } from './redirected-links.ts';

/** As `showDraftsInSteps`, at once. */
export function showDrafts(store: Store, earlier: ShownDrafts | null = null): Store {
  return runAtOnce(showDraftsInSteps(store, earlier));
}

/**
 * Returns the store that shows drafts: where a document has a draft, its published row is hidden, and links to it lead
 * to the draft. Rows keep their numbers, and columns, JSON and links are those of the store.
 *
 * `earlier` is a store that this one differs from by changes. Segments that show the same stay the same objects, and
 * only links of types that changed are looked at. Without it, takes a time that grows with the rows that are hidden and
 * the links to them. Takes bit sets of the rows of types with drafts, and of their components.
 */
export function* showDraftsInSteps(store: Store, earlier: ShownDrafts | null = null): Steps<Store> {
  if (store === earlier?.store) return earlier.shown;
  const ofDrafts: (HiddenRows | null)[] = [];
  for (const segment of store.segments) {
    ofDrafts.push(hiddenInSegment(segment));
    yield;
  }
  const hidden = ofDrafts.map((each) => each?.hidden ?? null);
  hideComponents(store, hidden);
  yield;
  const segments = store.segments.map((segment, number) =>
    shownSegment(segment, knownSet(hidden[number], earlier?.shown.segments[number].hidden ?? null)),
  );
  const redirected = yield* redirectLinksInSteps(store, segments, ofDrafts, earlier);
  return createStore(
    store,
    redirected.map((segment, number) => {
      const known = earlier?.shown.segments[number];
      return known && earlier.store.segments[number] === store.segments[number] && showsTheSame(segment, known)
        ? known
        : segment;
    }),
  );
}

/** Returns the known one of equal sets. */
function knownSet(rows: BitSet | null, known: BitSet | null): BitSet | null {
  const isKnown = rows && known && rows.size === known.size && rows.words.every((word, i) => word === known.words[i]);
  return isKnown ? known : rows;
}

function shownSegment(segment: Segment, hidden: BitSet | null): Segment {
  const { collection } = segment;
  const { published } = collection;
  if (!published) return hidden ? segment.withCollection(collection, hidden) : segment;
  const stored = hiddenInCollection(collection, published);
  const hidesNone = hidden!.count() === 0 && stored.hidden.count() === 0;
  const allRows = hidesNone ? collection.allRows : stored.shown;
  const shown = Object.freeze({ ...collection, allRows, published: null, drafts: null });
  return segment.withCollection(shown, hidesNone ? null : hidden);
}

/** Whether two segments over the same rows show the same rows and links. */
function showsTheSame({ hidden, collection }: Segment, other: Segment): boolean {
  const { links, polymorphic } = other.collection;
  return (
    hidden === other.hidden &&
    Array.from(collection.links).every(([name, { forward, reverse }]) => {
      const pair = links.get(name)!;
      return forward === pair.forward && reverse === pair.reverse;
    }) &&
    Array.from(collection.polymorphic).every(([name, one]) => one === polymorphic.get(name))
  );
}
