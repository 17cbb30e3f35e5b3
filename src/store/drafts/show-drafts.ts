import type { BitSet } from '../../core/sets/bit-set.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import type { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import { type DraftsOfSegment, draftsOfCollection, draftsOfSegment, hideComponents } from './hidden-rows.ts';
import { redirectLinksInSteps, type ShownDrafts } from './redirected-links.ts';

/** By store, for previews of the same one. Those that no content serves any more are collected. */
const known = new WeakMap<Store, WeakRef<Store>>();

/**
 * Returns a store that shows the same rows as if every document were published in the state of its draft: where a
 * document has a draft, its published row is hidden, and links to it lead to the draft. No type has a status there, so
 * any status in a query means the same. Rows keep their numbers, and columns, JSON and links are those of the store.
 *
 * `earlier` is a store that this one differs from by changes. Segments that show the same stay the same objects, and
 * only links of types that changed are looked at. Without it, takes a time that grows with the rows that are hidden and
 * the links to them. Takes bit sets of the rows of types with drafts, and of their components.
 */
export function showDrafts(store: Store, earlier: ShownDrafts | null = null): Store {
  return runAtOnce(showDraftsInSteps(store, earlier));
}

/** As `showDrafts`, which returns the same store in the turn of the event loop in which this ends. */
export function* showDraftsInSteps(store: Store, earlier: ShownDrafts | null = null): Steps<Store> {
  let shown = known.get(store)?.deref();
  if (!shown) {
    shown = yield* showInSteps(store, earlier);
    known.set(store, new WeakRef(shown));
  }
  return shown;
}

function* showInSteps(store: Store, earlier: ShownDrafts | null): Steps<Store> {
  const drafts: (DraftsOfSegment | null)[] = [];
  for (const segment of store.segments) {
    drafts.push(draftsOfSegment(segment));
    yield;
  }
  const found = drafts.map((each) => each?.hidden ?? null);
  hideComponents(store, found);
  yield;
  const hidden = found.map((rows, number) => knownSet(rows, earlier?.shown.segments[number].hidden ?? null));
  const segments = store.segments.map((segment, number) => shownSegment(segment, hidden[number]));
  const mixed = drafts.map((each) => each?.mixed ?? null);
  const redirected = yield* redirectLinksInSteps(store, segments, mixed, earlier);
  return createStore(
    store,
    redirected.map((segment, number) => {
      const known = earlier?.shown.segments[number];
      return known && earlier.store.segments[number] === store.segments[number] && hidesTheSame(segment, known)
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
  const stored = draftsOfCollection(collection, published);
  const hidesNone = hidden!.count() === 0 && stored.hidden.count() === 0;
  const allRows = hidesNone ? collection.allRows : stored.shown;
  const shown = Object.freeze({ ...collection, allRows, published: null, drafts: null });
  return segment.withCollection(shown, hidesNone ? null : hidden);
}

/** Whether segments of the same segment show the same rows and links. */
function hidesTheSame({ hidden, collection }: Segment, other: Segment): boolean {
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
