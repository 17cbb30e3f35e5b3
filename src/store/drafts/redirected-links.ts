/**
 * Where drafts stand in the place of published rows, a link to a published row with a draft leads to the draft. Most
 * drafts link to drafts already. What is left are the links of rows that are only published, of types without drafts
 * that link to the published row alone, and of locales that have no draft.
 */

import type { Steps } from '../../core/steps.ts';
import { type Adjacency, type AdjacencyPair, countedPositions, positionAt } from '../links/adjacency.ts';
import { patchedLinks } from '../links/link-patch.ts';
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
import { draftFinder } from './hidden-rows.ts';

/** A store, and the same store showing drafts. */
export interface ShownDrafts {
  readonly store: Store;
  readonly shown: Store;
}

/** A link of a shown row to a hidden one whose draft it does not lead to. */
interface Redirected {
  readonly hidden: number;
  readonly draft: number;
  readonly source: number;
  readonly inversePosition: number;
}

/**
 * Returns the segments with patches that lead from shown rows to drafts in the place of hidden rows. `segments` have the
 * rows that are shown, and the links of the store. `mixed` has, by collection number, the documents with drafts and
 * published rows. A list that leads to both rows already stays as it is: queries never reach hidden rows. Patches that
 * follow from the same rows and links are those of `earlier`. All others take a time linear in the links to hidden rows. A step
 * takes one relation.
 */
export function* redirectLinksInSteps(
  store: Store,
  segments: readonly Segment[],
  mixed: readonly (ReadonlySet<string> | null)[],
  earlier: ShownDrafts | null,
): Steps<Segment[]> {
  const redirects = new Redirects(store, segments, earlier);
  const layout = linkLayoutOf(store.schema);
  for (const relation of layout.relations) {
    if (redirects.takeOver(relation)) continue;
    if (relation.kind === 'polymorphic') redirects.redirectPolymorphic(relation);
    else redirects.redirectRelation(relation);
    yield;
  }
  for (const [number, documentIds] of mixed.entries()) {
    if (documentIds && layout.localizations[number]) redirects.joinLocalizations(number, documentIds);
    yield;
  }
  return redirects.patched.putInto(segments);
}

class Redirects {
  readonly patched = new PatchedCollections();
  readonly #store: Store;
  readonly #segments: readonly Segment[];
  readonly #earlier: ShownDrafts | null;
  /** By collection number: finds the draft of a hidden row. */
  readonly #drafts = new Map<number, (hidden: number) => number>();

  constructor(store: Store, segments: readonly Segment[], earlier: ShownDrafts | null) {
    this.#store = store;
    this.#segments = segments;
    this.#earlier = earlier;
  }

  /** Takes the links of a relation from the earlier store. Returns false if rows or links at either end may differ. */
  takeOver(relation: RelationLayout | PolymorphicLayout): boolean {
    const { kind, source, attribute } = relation;
    const earlier = this.#earlier;
    if (!earlier) return false;
    const isSame = ({ hidden }: Segment, number: number) =>
      this.#store.segments[number] === earlier.store.segments[number] &&
      hidden === earlier.shown.segments[number].hidden;
    const ends = kind === 'polymorphic' ? this.#segments : [source, relation.target].map((n) => this.#segments[n]);
    if (!ends.every((segment) => isSame(segment, segment.collection.number))) return false;
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

  redirectRelation({ kind, slots, source, target }: RelationLayout): void {
    const isStored = this.#pairOf(slots[0])?.forward.positions != null;
    if (kind !== 'localizations' || isStored) this.#redirectPair(slots, source, target);
  }

  #redirectPair(slots: readonly PairSlot[], source: number, target: number): void {
    const [slot] = slots;
    const pair = this.#pairOf(slot);
    // media and components have no drafts of their own
    if (!pair || !this.#store.segments[target].published) return;
    const [outward, inward] = slot.isInverse ? [pair.reverse, pair.forward] : [pair.forward, pair.reverse];
    const redirected = this.#findRedirected(outward, inward, source, target);
    if (redirected.length === 0) return;
    const forward = new LinkEdit(outward, this.#segments[source].rowCount);
    const reverse = outward === inward ? forward : new LinkEdit(inward, this.#segments[target].rowCount);
    this.#redirect(forward, reverse, redirected, source, target);
    const edited = { forward: forward.finish(), reverse: reverse.finish() };
    for (const { collection, attribute, isInverse } of slots) {
      this.patched.setPair(collection, attribute, isInverse ? reversed(edited) : edited);
    }
  }

  /** Most sources of links to hidden rows are hidden themselves: they are skipped without a call. */
  #findRedirected(outward: Adjacency, inward: Adjacency, source: number, target: number): Redirected[] {
    const hidden = this.#segments[target].hidden?.toArray() ?? [];
    const { live } = this.#segments[source];
    const draftOf = this.#draftFinder(target);
    const { offsets, targets, positions, patch } = inward;
    const redirected: Redirected[] = [];
    const add = (row: number, from: number, inversePosition: number) => {
      const draft = draftOf(row);
      if (!leadsTo(outward, from, draft)) redirected.push({ hidden: row, draft, source: from, inversePosition });
    };
    for (let i = 0; i < hidden.length; i++) {
      const row = hidden[i];
      const patched = patch && patchedLinks(patch, row);
      const sources = patched ? patched.targets : targets;
      const start = patched ? 0 : offsets[row];
      const end = patched ? sources.length : offsets[row + 1];
      for (let link = start; link < end; link++) {
        if (live && !live.has(sources[link])) continue;
        const position = patched
          ? patched.positions![link]
          : positionAt(positions ?? countedPositions, link, link - start);
        add(row, sources[link], position);
      }
    }
    return redirected;
  }

  #draftFinder(target: number): (hidden: number) => number {
    let find = this.#drafts.get(target);
    if (!find) this.#drafts.set(target, (find = draftFinder(this.#store.segments[target])));
    return find;
  }

  #redirect(
    forward: LinkEdit,
    reverse: LinkEdit,
    redirected: readonly Redirected[],
    source: number,
    target: number,
  ): void {
    const compareTargets = rowComparison(this.#segments[target]);
    const compareSources = rowComparison(this.#segments[source]);
    for (const [from, links] of groupBy(redirected, (link) => link.source)) {
      const drafts = new Map(links.map(({ hidden, draft }) => [hidden, draft]));
      const list: GivenLink[] = [];
      forward.eachTarget(from, (row, position) => {
        list.push({ collection: target, row: drafts.get(row) ?? row, position, inversePosition: 0, shownBy: 0 });
      });
      forward.set(from, relationList(list.sort((a, b) => a.position - b.position || compareTargets(a.row, b.row))));
    }
    for (const [draft, links] of groupBy(redirected, (link) => link.draft)) {
      const added = links.map(({ source: row, inversePosition: position }) => ({ row, position }));
      reverse.set(draft, withLinks(reverse.list(draft), added, compareSources));
    }
  }

  redirectPolymorphic({ source, attribute, targets, inverses }: PolymorphicLayout): void {
    const segment = this.#segments[source];
    const links = segment.collection.polymorphic.get(attribute);
    // the targets of a dynamic zone are components
    if (!links || targets) return;
    const edit = new LinkEdit(links, segment.rowCount);
    for (const row of (segment.live ?? segment.allRows).toArray()) {
      const list = edit.list(row);
      const { targets: rows, positions, inversePositions, shownBy } = list;
      const collections = list.collections!;
      const isLinked = (collection: number, to: number) =>
        rows.some((each, i) => each === to && collections[i] === collection);
      let isRedirected = false;
      const given = Array.from(rows, (to, i): GivenLink => {
        const collection = collections[i];
        const draft = this.#segments[collection].hidden?.has(to) ? this.#draftFinder(collection)(to) : to;
        const isOther = draft !== to && !isLinked(collection, draft);
        isRedirected ||= isOther;
        return {
          collection,
          row: isOther ? draft : to,
          position: positions![i],
          inversePosition: inversePositions![i],
          shownBy: shownBy?.[i] ?? 0,
        };
      });
      if (isRedirected) edit.set(row, polymorphicList(inOrder(given, this.#segments)));
    }
    const edited = edit.finish();
    if (edited !== links) this.patched.setPolymorphic(source, attribute, edited);
    for (const { slot } of inverses) this.#redirectPair([slot], source, slot.collection);
  }

  #pairOf({ collection, attribute }: PairSlot): AdjacencyPair | undefined {
    return this.#segments[collection].collection.links.get(attribute);
  }

  /** The localizations of an entry are those that are shown, whether drafts or not. */
  joinLocalizations(number: number, documentIds: ReadonlySet<string>): void {
    if (this.#earlier && this.#takeOverLocalizations(number, this.#earlier)) return;
    const segment = this.#segments[number];
    const pair = segment.collection.links.get('localizations');
    if (!pair || pair.forward.positions || documentIds.size === 0) return;
    const edit = new LinkEdit(pair.forward, segment.rowCount);
    patchLocalizations(edit, segment, { documentIds, singleRows: [], deadRows: [] });
    const forward = edit.finish();
    this.patched.setPair(number, 'localizations', { forward, reverse: forward });
  }

  #takeOverLocalizations(number: number, { store, shown }: ShownDrafts): boolean {
    if (store.segments[number] !== this.#store.segments[number]) return false;
    const pair = shown.collections[number].links.get('localizations');
    if (pair) this.patched.setPair(number, 'localizations', pair);
    return true;
  }
}

function reversed({ forward, reverse }: AdjacencyPair): AdjacencyPair {
  return { forward: reverse, reverse: forward };
}

function leadsTo({ offsets, targets, patch }: Adjacency, row: number, target: number): boolean {
  const patched = patch && patchedLinks(patch, row);
  if (patched) return patched.targets.includes(target);
  for (let i = offsets[row]; i < offsets[row + 1]; i++) if (targets[i] === target) return true;
  return false;
}

function groupBy(links: readonly Redirected[], keyOf: (link: Redirected) => number): Map<number, Redirected[]> {
  const groups = new Map<number, Redirected[]>();
  for (const link of links) {
    const key = keyOf(link);
    const group = groups.get(key);
    if (group) group.push(link);
    else groups.set(key, [link]);
  }
  return groups;
}
