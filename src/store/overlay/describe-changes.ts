/** The changes of a store since its base was built, as plain data in a few flat arrays, for another thread. */

import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import type { Steps } from '../../core/steps.ts';
import type { JsonRows } from '../json-rows.ts';
import type { Adjacency, AdjacencyPair } from '../links/adjacency.ts';
import type { LinkPatch, PatchedLinks } from '../links/link-patch.ts';
import { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import type { DeltaText, DeltaTextDictionary } from '../texts/delta-text-dictionary.ts';
import type { Delta } from './delta.ts';
import type { DeltaColumn } from './delta-column.ts';

/** The changes of one segment. */
export interface DescribedSegment {
  readonly dead: Uint32Array;
  readonly delta: DescribedDelta | null;
  /** Links without a patch are missing. */
  readonly links: readonly DescribedLinks[];
}

export interface DescribedDelta extends Pick<Delta, 'rows' | 'rowCount' | 'greatestId' | 'isInIdOrder'> {
  /** The words of bit sets. */
  readonly replaced: Uint32Array;
  readonly published: Uint32Array | null;
  readonly columns: ReadonlyMap<string, DescribedColumn>;
  readonly jsonTexts: ReadonlyMap<string, DescribedColumn>;
  /** As in JsonRows, for all rows. */
  readonly json: Pieces;
}

export interface DescribedColumn extends Pick<DeltaColumn, 'codes' | 'lesser' | 'isKnown'> {
  /** Texts are between separators. Null for a column of presence. */
  readonly values: Float64Array | BigInt64Array | Pieces | null;
}

/** Pieces of bytes, one after the other. */
export interface Pieces {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** Where an adjacency of a collection is. */
type LinksPlace =
  | { readonly kind: 'links'; readonly attribute: string; readonly side: keyof AdjacencyPair }
  | { readonly kind: 'polymorphic'; readonly attribute: string }
  | { readonly kind: 'versions'; readonly side: keyof AdjacencyPair };

export interface DescribedLinks {
  readonly place: LinksPlace;
  /** Places that share an adjacency share it. */
  readonly patch: DescribedPatch;
}

/** The lists of a LinkPatch, one after the other, in the order of `sources`. Null: no list has them. */
export interface DescribedPatch {
  /** The words of the bit set of all patched rows, and its size. */
  readonly rows: Uint32Array;
  readonly rowCount: number;
  /** The patched rows with links, and where the list of each begins, and the last one ends. */
  readonly sources: Uint32Array;
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  readonly positions: Float64Array | null;
  readonly collections: Uint16Array | null;
  readonly inversePositions: Float64Array | null;
  readonly shownBy: Uint16Array | null;
}

/**
 * Describes the changes by collection number. A step takes a time that grows with one column of a delta or with one
 * patch, so that an event loop can do other work between steps. `allocator` makes the memory of texts and JSON. All other
 * arrays are those of the store.
 */
export function* describeChangesInSteps(
  { segments }: Pick<Store, 'segments'>,
  allocator: Allocator = heapAllocator,
): Steps<DescribedSegment[]> {
  const known = new Map<Adjacency, DescribedPatch>();
  const described: DescribedSegment[] = [];
  for (const { collection, dead, delta } of segments) {
    const links: DescribedLinks[] = [];
    for (const [place, adjacency] of placesOf(collection)) {
      if (!adjacency.patch) continue;
      const patch = known.get(adjacency) ?? describePatch(adjacency.patch);
      known.set(adjacency, patch);
      links.push({ place, patch });
      yield;
    }
    described.push({ dead, delta: delta && (yield* describeDeltaInSteps(delta, allocator)), links });
  }
  return described;
}

function* placesOf({
  links,
  polymorphic,
  versions,
}: Store['collections'][number]): Generator<[place: LinksPlace, adjacency: Adjacency]> {
  const sides = ['forward', 'reverse'] as const;
  for (const [attribute, pair] of links) {
    for (const side of sides) yield [{ kind: 'links', attribute, side }, pair[side]];
  }
  for (const [attribute, adjacency] of polymorphic) yield [{ kind: 'polymorphic', attribute }, adjacency];
  if (versions) for (const side of sides) yield [{ kind: 'versions', side }, versions[side]];
}

function* describeDeltaInSteps(delta: Delta, allocator: Allocator): Steps<DescribedDelta> {
  const { rows, rowCount, greatestId, isInIdOrder, replaced, published, jsonRows } = delta;
  const columns = yield* describeColumnsInSteps(delta.columns, allocator);
  const jsonTexts = yield* describeColumnsInSteps(delta.jsonTexts, allocator);
  return {
    ...{ rows, rowCount, greatestId, isInIdOrder, columns, jsonTexts },
    replaced: replaced.words,
    published: published?.words ?? null,
    json: joinRows(jsonRows, allocator),
  };
}

function* describeColumnsInSteps(
  columns: ReadonlyMap<string, DeltaColumn>,
  allocator: Allocator,
): Steps<Map<string, DescribedColumn>> {
  const described = new Map<string, DescribedColumn>();
  for (const [name, { codes, lesser, isKnown, dictionary }] of columns) {
    const values =
      dictionary.kind === 'presence'
        ? null
        : dictionary.kind === 'text'
          ? joinTexts((dictionary as DeltaTextDictionary).texts, allocator)
          : dictionary.values;
    described.set(name, { codes, lesser, isKnown, values });
    yield;
  }
  return described;
}

function joinTexts(texts: readonly DeltaText[], allocator: Allocator): Pieces {
  const offsets = new Uint32Array(texts.length + 1);
  for (let i = 0; i < texts.length; i++) offsets[i + 1] = offsets[i] + texts[i].bytes.length;
  const bytes = allocator.bytes(offsets[texts.length]);
  for (let i = 0; i < texts.length; i++) bytes.set(texts[i].bytes, offsets[i]);
  return { bytes, offsets };
}

function joinRows(rows: Delta['jsonRows'], allocator: Allocator): Pieces {
  const stride = rows[0]?.offsets.length ?? 0;
  const lengthOf = ({ offsets }: JsonRows) => offsets[stride - 1] - offsets[0];
  const bytes = allocator.bytes(rows.reduce((sum, row) => sum + lengthOf(row), 0));
  const offsets = new Uint32Array(rows.length * stride);
  let end = 0;
  for (let row = 0; row < rows.length; row++) {
    const { bytes: source, offsets: places } = rows[row];
    bytes.set(source.subarray(places[0], places[stride - 1]), end);
    for (let i = 0; i < stride; i++) offsets[row * stride + i] = end + places[i] - places[0];
    end += lengthOf(rows[row]);
  }
  return { bytes, offsets };
}

function describePatch({ rows, lists, linkCount }: LinkPatch): DescribedPatch {
  const values = [...lists.values()];
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) offsets[i + 1] = offsets[i] + values[i].targets.length;
  const join = <Numbers extends Uint32Array | Float64Array | Uint16Array>(
    into: Numbers,
    read: (list: PatchedLinks) => ArrayLike<number> | null | undefined,
  ): Numbers | null => {
    let isGiven = false;
    for (let i = 0; i < values.length; i++) {
      const numbers = read(values[i]);
      if (!numbers) continue;
      isGiven = true;
      into.set(numbers, offsets[i]);
    }
    return isGiven ? into : null;
  };
  return {
    rows: rows.words,
    rowCount: rows.size,
    sources: Uint32Array.from(lists.keys()),
    offsets,
    targets: join(new Uint32Array(linkCount), ({ targets }) => targets) ?? new Uint32Array(0),
    positions: join(new Float64Array(linkCount), ({ positions }) => positions),
    collections: join(new Uint16Array(linkCount), ({ collections }) => collections),
    inversePositions: join(new Float64Array(linkCount), ({ inversePositions }) => inversePositions),
    shownBy: join(new Uint16Array(linkCount), ({ shownBy }) => shownBy),
  };
}

/** Returns the store over the same arrays without its changes. It keeps the digest and the locales of the given one. */
export function baseOf(store: Store): Store {
  const segments = store.collections.map((collection) => {
    const { links, polymorphic, versions } = collection;
    const base = {
      ...collection,
      links: new Map(Array.from(links, ([name, pair]) => [name, unpatchedPair(pair)])),
      polymorphic: new Map(Array.from(polymorphic, ([name, one]) => [name, unpatched(one)])),
      versions: versions && unpatchedPair(versions),
    };
    return new Segment(Object.freeze(base));
  });
  return createStore(store, segments);
}

function unpatchedPair({ forward, reverse }: AdjacencyPair): AdjacencyPair {
  return { forward: unpatched(forward), reverse: unpatched(reverse) };
}

function unpatched<Links extends Adjacency>(links: Links): Links {
  return links.patch ? { ...links, patch: null } : links;
}
