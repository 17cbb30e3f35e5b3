import type { Steps } from '../../core/steps.ts';
import type { Adjacency, AdjacencyPair } from '../links/adjacency.ts';
import { rowComparison } from '../row-order.ts';
import type { Segment } from '../segment.ts';
import type { Store } from '../store.ts';
import {
  type LinkLayout,
  linkLayoutOf,
  type PairSlot,
  type PolymorphicLayout,
  type RelationLayout,
} from '../writer/links/link-layout.ts';
import { GrownRows, LinkEdit } from './link-edit.ts';
import { changedDocuments, patchLocalizations, patchVersions } from './patch-documents.ts';
import { type PatchedPair, patchPairInSteps } from './patch-pair.ts';
import { type DeadRows, patchPolymorphic, patchUsesInSteps } from './patch-polymorphic.ts';
import { PatchedCollections } from './patched-collections.ts';
import type { GivenLink } from './patched-lists.ts';

/** By row: all its links now. */
export type ReplacedLinks = ReadonlyMap<number, readonly GivenLink[]>;

/**
 * What a batch changes, besides the rows that die, which follow from the segments. All rows that it names are live. A
 * component of a dynamic zone dies only with its owner, or if the owner's new list is named.
 */
export interface LinkChanges {
  /** By collection number: the rows that are new or have other values. */
  readonly upserted: ReadonlyMap<number, Iterable<number>>;
  /** By collection number and owning attribute. */
  readonly replaced: ReadonlyMap<number, ReadonlyMap<string, ReplacedLinks>>;
}

export interface PatchedStore {
  readonly segments: readonly Segment[];
  /** By collection number: the live rows whose own links are replaced, or lost a target. Their digests differ. */
  readonly relinked: ReadonlyMap<number, ReadonlySet<number>>;
}

/**
 * Returns the segments of a store after a batch, with the links of the batch. `segments` are those after their rows have
 * changed (merge-delta.ts), in the order of the store's. Links to and from rows that died go; the positions of others
 * stay. Every list has the order of a fresh build. An adjacency whose lists do not change stays the same object.
 *
 * Takes a time that grows with the changed links, the lists at both of their ends and the patches of these adjacencies.
 * Bit sets of all rows are copied for each adjacency that changes.
 */
export function patchLinksInSteps(
  store: Store,
  segments: readonly Segment[],
  changes: LinkChanges,
): Steps<PatchedStore> {
  return new LinkPatcher(store, segments, changes).patchInSteps();
}

const noLinksReplaced: ReplacedLinks = new Map();
const noDeadRows: DeadRows = new Map();

/** One batch. */
class LinkPatcher {
  readonly #before: readonly Segment[];
  readonly #segments: readonly Segment[];
  readonly #changes: LinkChanges;
  readonly #layout: LinkLayout;
  /** By collection number: the rows that died. Collections without any are missing. */
  readonly #dead = new Map<number, Set<number>>();
  /** Collections that have dead or new rows. */
  readonly #resized = new Set<number>();
  readonly #edits = new Map<Adjacency, LinkEdit>();
  readonly #grown = new GrownRows();
  readonly #changedFiles = new Set<number>();
  readonly #relinked = new Map<number, Set<number>>();
  readonly #patched = new PatchedCollections();

  constructor({ schema, segments: before }: Store, segments: readonly Segment[], changes: LinkChanges) {
    this.#before = before;
    this.#segments = segments;
    this.#changes = changes;
    this.#layout = linkLayoutOf(schema);
    for (const [number, segment] of segments.entries()) {
      if (segment === before[number]) continue;
      const dead = newlyDead(before[number].dead, segment.dead);
      if (dead.size > 0) this.#dead.set(number, dead);
      if (dead.size > 0 || segment.rowCount > before[number].rowCount) this.#resized.add(number);
    }
  }

  *patchInSteps(): Steps<PatchedStore> {
    for (const relation of this.#concerned()) {
      if (relation.kind === 'polymorphic') yield* this.#patchPolymorphicInSteps(relation);
      else if (relation.kind !== 'localizations' || this.#isStored(relation))
        yield* this.#patchRelationInSteps(relation);
    }
    for (const number of new Set([...this.#changes.upserted.keys(), ...this.#resized])) {
      this.#patchDocuments(number);
      yield;
    }
    for (const [number, attributes] of this.#layout.uses.entries()) {
      for (const attribute of attributes) yield* this.#patchUsesInSteps(number, attribute);
    }
    return { segments: this.#patched.putInto(this.#segments), relinked: this.#relinked };
  }

  /** Returns the relations that the batch names, or that lead from or to rows that died or are new. */
  #concerned(): Set<RelationLayout | PolymorphicLayout> {
    const concerned = new Set<RelationLayout | PolymorphicLayout>();
    for (const number of this.#resized) {
      for (const relation of this.#layout.ofCollection[number]) concerned.add(relation);
    }
    for (const [number, attributes] of this.#changes.replaced) {
      for (const relation of this.#layout.ofCollection[number]) {
        if (relation.source === number && attributes.has(relation.attribute)) concerned.add(relation);
      }
    }
    return concerned;
  }

  /** Whether localizations are links of the snapshot, which have positions. */
  #isStored({ slots }: RelationLayout): boolean {
    return this.#pairOf(slots[0])?.forward.positions != null;
  }

  *#patchRelationInSteps({ kind, source, attribute, target, slots }: RelationLayout): Steps<void> {
    const replaced = this.#replacedLinks(source, attribute);
    const { bereft, targets } = yield* this.#patchPairInSteps(slots[0], source, target, replaced);
    this.#addRelinked(source, bereft);
    if (kind === 'media') for (const file of targets) this.#changedFiles.add(file);
    for (const slot of slots) this.#replacePair(slot, slots[0]);
  }

  *#patchPolymorphicInSteps({ source, attribute, targets, inverses }: PolymorphicLayout): Steps<void> {
    const links = this.#segments[source].collection.polymorphic.get(attribute);
    if (!links) return;
    const replaced = this.#replacedLinks(source, attribute);
    const edit = this.#edit(links, source);
    const isZone = targets !== null;
    // the lists of a zone that lose components are all replaced
    const deadTargets = isZone ? noDeadRows : this.#dead;
    this.#addRelinked(source, patchPolymorphic(links, edit, this.#segments, replaced, deadTargets));
    this.#replacePolymorphic(source, attribute);
    yield;
    for (const { slot, number } of inverses) {
      const shown = mapValues(replaced, (given) =>
        given.filter(
          ({ collection, shownBy }) => collection === slot.collection && (shownBy === 0 || shownBy === number),
        ),
      );
      yield* this.#patchPairInSteps(slot, source, slot.collection, shown);
      this.#replacePair(slot, slot);
    }
  }

  #patchPairInSteps(slot: PairSlot, source: number, target: number, replaced: ReplacedLinks): Steps<PatchedPair> {
    const { forward, reverse } = this.#pairOf(slot)!;
    const [outward, inward] = slot.isInverse ? [reverse, forward] : [forward, reverse];
    const pair = {
      forward: this.#edit(outward, source),
      reverse: this.#edit(inward, target),
      compareSources: rowComparison(this.#segments[source]),
      compareTargets: rowComparison(this.#segments[target]),
    };
    return patchPairInSteps(pair, replaced, this.#dead.get(target) ?? new Set());
  }

  #patchDocuments(number: number): void {
    const [before, segment] = [this.#before[number], this.#segments[number]];
    const { links, versions } = segment.collection;
    const localizations = this.#layout.localizations[number] ? links.get('localizations') : undefined;
    const derived = localizations && !localizations.forward.positions ? localizations : null;
    if (!derived && !versions) return;
    const upserted = new Set(this.#changes.upserted.get(number));
    for (let row = before.rowCount; row < segment.rowCount; row++) upserted.add(row);
    const changed = changedDocuments(before, segment, upserted, this.#dead.get(number) ?? new Set());
    if (derived) {
      const edit = this.#edit(derived.forward, number);
      patchLocalizations(edit, segment, changed);
      const forward = edit.finish();
      if (forward !== derived.forward) this.#patched.setPair(number, 'localizations', { forward, reverse: forward });
    }
    if (versions) {
      const edit = this.#edit(versions.forward, number);
      patchVersions(edit, segment, changed);
      const forward = edit.finish();
      if (forward !== versions.forward) this.#patched.setVersions(number, { forward, reverse: forward });
    }
  }

  *#patchUsesInSteps(number: number, attribute: string): Steps<void> {
    const links = this.#segments[number].collection.polymorphic.get(attribute);
    if (!links || (this.#changedFiles.size === 0 && !this.#resized.has(number))) return;
    const edit = this.#edit(links, number);
    const media = this.#layout.media.map(({ source, slots: [slot], target }) => {
      const { forward, reverse } = this.#pairOf(slot)!;
      return { source, files: this.#edit(forward, source), users: this.#edit(reverse, target) };
    });
    yield* patchUsesInSteps(edit, media, this.#segments, this.#changedFiles);
    this.#replacePolymorphic(number, attribute);
  }

  /** The links that the batch gives to rows of an attribute, and none for the rows that died. */
  #replacedLinks(number: number, attribute: string): ReplacedLinks {
    const given = this.#changes.replaced.get(number)?.get(attribute) ?? noLinksReplaced;
    this.#addRelinked(number, given.keys());
    const dead = this.#dead.get(number);
    return dead ? new Map([...given, ...Array.from(dead, (row) => [row, []] as const)]) : given;
  }

  #addRelinked(number: number, rows: Iterable<number>): void {
    const known = this.#relinked.get(number) ?? new Set();
    for (const row of rows) known.add(row);
    if (known.size > 0) this.#relinked.set(number, known);
  }

  #pairOf({ collection, attribute }: PairSlot): AdjacencyPair | undefined {
    return this.#segments[collection].collection.links.get(attribute);
  }

  #edit<Links extends Adjacency>(links: Links, source: number): LinkEdit<Links> {
    let edit = this.#edits.get(links);
    if (!edit) this.#edits.set(links, (edit = new LinkEdit(links, this.#segments[source].rowCount, this.#grown)));
    return edit as LinkEdit<Links>;
  }

  /** `edited` is the slot whose pair was edited. The other slots of its relation hold the same links. */
  #replacePair({ collection, attribute, isInverse }: PairSlot, edited: PairSlot): void {
    const pair = this.#pairOf(edited)!;
    const forward = this.#edits.get(pair.forward)!.finish();
    const reverse = this.#edits.get(pair.reverse)!.finish();
    if (forward === pair.forward && reverse === pair.reverse) return;
    const isTurned = isInverse !== edited.isInverse;
    const replaced = isTurned ? { forward: reverse, reverse: forward } : { forward, reverse };
    this.#patched.setPair(collection, attribute, replaced);
  }

  #replacePolymorphic(number: number, attribute: string): void {
    const links = this.#segments[number].collection.polymorphic.get(attribute)!;
    const edited = this.#edit(links, number).finish();
    if (edited !== links) this.#patched.setPolymorphic(number, attribute, edited);
  }
}

/** Both lists are ascending. */
function newlyDead(before: Uint32Array, dead: Uint32Array): Set<number> {
  const found = new Set<number>();
  if (before === dead) return found;
  let known = 0;
  for (const row of dead) {
    if (before[known] === row) known++;
    else found.add(row);
  }
  return found;
}

function mapValues<Key, From, To>(map: ReadonlyMap<Key, From>, convert: (value: From) => To): Map<Key, To> {
  return new Map(Array.from(map, ([key, value]) => [key, convert(value)]));
}
