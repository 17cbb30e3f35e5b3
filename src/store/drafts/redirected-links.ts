/**
 * Redirects links from hidden rows to their drafts. Drafts link to drafts already. Redirected are the links of
 * published rows without a draft, of types without drafts, and of the components of both. The new lists are patches, as
 * after a batch, so that following a link takes no test.
 */

import type { BitSet } from '../../core/sets/bit-set.ts';
import type { Steps } from '../../core/steps.ts';
import type { AdjacencyPair } from '../links/adjacency.ts';
import type { PatchedLinks } from '../links/link-patch.ts';
import { LinkEdit } from '../overlay/link-edit.ts';
import { patchLocalizations } from '../overlay/patch-documents.ts';
import { inOrder } from '../overlay/patch-polymorphic.ts';
import { PatchedCollections } from '../overlay/patched-collections.ts';
import { type GivenLink, polymorphicList, relationList, withLinks } from '../overlay/patched-lists.ts';
import { rowComparison } from '../row-order.ts';
import type { Segment } from '../segment.ts';
import type { Store } from '../store.ts';
import {
  linkLayoutOf,
  type PairSlot,
  type PolymorphicLayout,
  type RelationLayout,
} from '../writer/links/link-layout.ts';
import type { HiddenRows } from './hidden-rows.ts';

/** A store, and the same store showing drafts. */
export interface ShownDrafts {
  readonly store: Store;
  readonly shown: Store;
}

/**
 * Returns the segments with links that lead from shown rows to drafts in the place of hidden rows. `segments` have the
 * rows that are shown, and the links of the store. A list with a hidden row and its draft stays as it is, because
 * queries never reach hidden rows. Relations with the same rows and links as in `earlier` keep its lists. Other
 * relations take a time linear in the links to hidden rows, and polymorphic relations in all their links. A step takes
 * one relation.
 */
export function* redirectLinksInSteps(
  store: Store,
  segments: readonly Segment[],
  hidden: readonly (HiddenRows | null)[],
  earlier: ShownDrafts | null,
): Steps<Segment[]> {
  const redirects = new Redirects(store, segments, hidden, earlier);
  for (const relation of linkLayoutOf(store.schema).relations) {
    redirects.redirect(relation);
    yield;
  }
  return redirects.patched.putInto(segments);
}

class Redirects {
  readonly patched = new PatchedCollections();
  readonly #store: Store;
  readonly #segments: readonly Segment[];
  readonly #hidden: readonly (HiddenRows | null)[];
  readonly #earlier: ShownDrafts | null;

  constructor(
    store: Store,
    segments: readonly Segment[],
    hidden: readonly (HiddenRows | null)[],
    earlier: ShownDrafts | null,
  ) {
    this.#store = store;
    this.#segments = segments;
    this.#hidden = hidden;
    this.#earlier = earlier;
  }

  redirect(relation: RelationLayout | PolymorphicLayout): void {
    if (this.#takeOver(relation)) return;
    if (relation.kind === 'polymorphic') this.#redirectPolymorphic(relation);
    else if (relation.kind === 'localizations' && !this.#pairOf(relation.slots[0])?.forward.positions)
      this.#joinLocalizations(relation);
    else this.#redirectPair(relation.slots, relation.source, relation.target);
  }

  /**
   * Keeps the lists of the earlier store and returns true, if the types at all ends of the relation have not changed.
   */
  #takeOver(relation: RelationLayout | PolymorphicLayout): boolean {
    const earlier = this.#earlier;
    if (!earlier) return false;
    const { kind, source, attribute } = relation;
    const isSame = ({ hidden, collection: { number } }: Segment) =>
      this.#store.segments[number] === earlier.store.segments[number] &&
      hidden === earlier.shown.segments[number].hidden;
    const ends = kind === 'polymorphic' ? this.#segments : [source, relation.target].map((end) => this.#segments[end]);
    if (!ends.every(isSame)) return false;
    const slots = kind === 'polymorphic' ? relation.inverses.map(({ slot }) => slot) : relation.slots;
    for (const slot of slots) {
      const pair = earlier.shown.collections[slot.collection].links.get(slot.attribute);
      if (pair && pair !== this.#pairOf(slot)) this.patched.setPair(slot.collection, slot.attribute, pair);
    }
    const links = kind === 'polymorphic' && earlier.shown.collections[source].polymorphic.get(attribute);
    if (links && links !== this.#segments[source].collection.polymorphic.get(attribute)) {
      this.patched.setPolymorphic(source, attribute, links);
    }
    return true;
  }

  /** Redirects a pair, and puts it into all `slots`, which share it. */
  #redirectPair(slots: readonly PairSlot[], source: number, target: number): void {
    const pair = this.#pairOf(slots[0]);
    const hiddenTargets = this.#hidden[target];
    if (!pair || !hiddenTargets) return;
    const [outward, inward] = slots[0].isInverse ? [pair.reverse, pair.forward] : [pair.forward, pair.reverse];
    const forward = new LinkEdit(outward, this.#segments[source].rowCount);
    const reverse = outward === inward ? forward : new LinkEdit(inward, this.#segments[target].rowCount);
    const redirected = redirectTargets(reverse, this.#segments[source], hiddenTargets);
    if (redirected.size === 0) return;
    for (const row of redirected) this.#redirectList(forward, row, target);
    const edited = { forward: forward.finish(), reverse: reverse.finish() };
    for (const { collection, attribute, isInverse } of slots) {
      this.patched.setPair(collection, attribute, isInverse ? reversed(edited) : edited);
    }
  }

  #redirectPolymorphic({ source, attribute, targets, inverses }: PolymorphicLayout): void {
    const segment = this.#segments[source];
    const links = segment.collection.polymorphic.get(attribute);
    // the targets of a dynamic zone are components, and no shown row has a hidden component
    if (!links || targets) return;
    const edit = new LinkEdit(links, segment.rowCount);
    for (const row of shownRows(segment).toArray()) this.#redirectList(edit, row, null);
    const edited = edit.finish();
    if (edited !== links) this.patched.setPolymorphic(source, attribute, edited);
    for (const { slot } of inverses) this.#redirectPair([slot], source, slot.collection);
  }

  /** Redirects the links of a row. `target` is the collection number of all its targets; null for polymorphic links. */
  #redirectList(edit: LinkEdit, row: number, target: number | null): void {
    const list = edit.list(row);
    const collectionAt = (link: number) => target ?? list.collections![link];
    if (!list.targets.some((to, link) => this.#hidden[collectionAt(link)]?.hidden.has(to))) return;
    const known = new Set(Array.from(list.targets, (to, link) => keyOf(collectionAt(link), to)));
    const given = Array.from(list.targets, (to, link): GivenLink => {
      const collection = collectionAt(link);
      const hidden = this.#hidden[collection];
      const draft = hidden?.hidden.has(to) ? hidden.draftOf(to) : to;
      return givenLink(list, link, collection, known.has(keyOf(collection, draft)) ? to : draft);
    });
    edit.set(row, (target === null ? polymorphicList : relationList)(inOrder(given, this.#segments)));
  }

  /** Makes all shown rows of a mixed document localizations of each other, drafts or not. */
  #joinLocalizations({ source: number }: RelationLayout): void {
    const segment = this.#segments[number];
    const pair = segment.collection.links.get('localizations');
    const documentIds = this.#hidden[number]?.mixed;
    if (!pair || !documentIds?.size) return;
    const edit = new LinkEdit(pair.forward, segment.rowCount);
    patchLocalizations(edit, segment, { documentIds, singleRows: [], deadRows: [] });
    const forward = edit.finish();
    this.patched.setPair(number, 'localizations', { forward, reverse: forward });
  }

  #pairOf({ collection, attribute }: PairSlot): AdjacencyPair | undefined {
    return this.#segments[collection].collection.links.get(attribute);
  }
}

/** Adds the shown sources of hidden rows to the lists of their drafts. Returns the sources that were added. */
function redirectTargets(reverse: LinkEdit, sources: Segment, { hidden, draftOf }: HiddenRows): Set<number> {
  const shown = shownRows(sources);
  const compare = rowComparison(sources);
  const redirected = new Set<number>();
  let found: { row: number; position: number }[] = [];
  const addIfShown = (row: number, position: number) => {
    if (shown.has(row)) found.push({ row, position });
  };
  for (const row of hidden.toArray()) {
    reverse.eachTarget(row, addIfShown);
    if (found.length === 0) continue;
    const draft = draftOf(row);
    const list = reverse.list(draft);
    const known = new Set(list.targets);
    const added = found.filter((link) => !known.has(link.row));
    if (added.length > 0) reverse.set(draft, withLinks(list, added, compare));
    for (const link of added) redirected.add(link.row);
    found = [];
  }
  return redirected;
}

function shownRows({ live, allRows }: Segment): BitSet {
  return live ?? allRows;
}

function reversed({ forward, reverse }: AdjacencyPair): AdjacencyPair {
  return { forward: reverse, reverse: forward };
}

function keyOf(collection: number, row: number): number {
  return collection * 2 ** 32 + row;
}

function givenLink(list: PatchedLinks, link: number, collection: number, row: number): GivenLink {
  const { positions, inversePositions, shownBy } = list;
  const inversePosition = inversePositions?.[link] ?? 0;
  return { collection, row, position: positions![link], inversePosition, shownBy: shownBy?.[link] ?? 0 };
}
