/**
 * Shows content as if every draft were published. The result is a second store over the same arrays, with hidden rows
 * (hidden-rows.ts) and redirected links (redirected-links.ts). A scope of queries could hide rows, but not redirect
 * links. No type of the second store has a status, so the status of a query has no effect.
 */

import type { BitSet } from '../../core/sets/bit-set.ts';
import type { Steps } from '../../core/steps.ts';
import type { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import { type HiddenRows, hiddenInCollection, hiddenInSegment, hideComponents } from './hidden-rows.ts';
import { redirectLinksInSteps, type ShownDrafts } from './redirected-links.ts';

/**
 * Returns the store that shows drafts. Rows keep their numbers, and the arrays of columns, JSON and links are shared.
 *
 * `earlier` is the store before some changes. Segments that show the same stay the same objects, and only the links of
 * types that changed are redirected again. Without it, takes a time that grows with the hidden rows and the links to
 * them. Takes bit sets of the rows of types with drafts, and of their components.
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

/** Returns `known` if it equals `rows`, so that its identity shows that nothing has changed. */
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
