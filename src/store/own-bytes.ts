/** Counts the memory that a store with changes does not share with the one that it was made from. */
import type { Steps } from '../base/steps.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { DeltaColumn } from './changes/delta-column.ts';
import type { Adjacency } from './links/adjacency.ts';
import type { Segment } from './segment.ts';
import type { Store } from './store.ts';
import type { DeltaTextDictionary } from './text/delta-text-dictionary.ts';

type Flat = { readonly buffer: ArrayBufferLike };

/**
 * Returns the bytes of the buffers of a store that the other one does not have, but not of the objects over them. Takes
 * a time that grows with the changes.
 */
export function* countOwnBytesInSteps(store: Store, other: Store): Steps<number> {
  const shared = new Set<ArrayBufferLike>();
  const own = new Set<ArrayBufferLike>();
  for (const [number, segment] of store.segments.entries()) {
    const counterpart = other.segments[number];
    if (segment === counterpart) continue;
    yield* addBuffersInSteps(shared, counterpart, segment);
    yield* addBuffersInSteps(own, segment, counterpart);
  }
  let bytes = 0;
  for (const buffer of own) if (!shared.has(buffer)) bytes += buffer.byteLength;
  return bytes;
}

function* addBuffersInSteps(buffers: Set<ArrayBufferLike>, segment: Segment, other: Segment): Steps<void> {
  for (const { buffer } of changedArrays(segment, other)) {
    buffers.add(buffer);
    yield;
  }
}

/** The arrays in which segments with changes differ, without the lists of links that both have. */
function* changedArrays(
  { collection, allRows, changed, dead, live, published, drafts, delta }: Segment,
  other: Segment,
): Generator<Flat> {
  yield dead;
  yield* wordsOf([allRows, changed, live, published, drafts, delta?.replaced, delta?.published]);
  if (delta) {
    yield delta.rows;
    for (const column of [...delta.columns.values(), ...delta.jsonTexts.values()]) yield* arraysOfColumn(column);
    for (const { bytes, offsets } of delta.jsonRows) yield* [bytes, offsets];
  }
  const others = adjacenciesOf(other.collection);
  for (const [i, adjacency] of adjacenciesOf(collection).entries()) yield* patchArrays(adjacency, others[i]);
}

function* wordsOf(sets: readonly (BitSet | null | undefined)[]): Generator<Flat> {
  for (const set of sets) if (set) yield set.words;
}

function* arraysOfColumn({ codes, lesser, isKnown, index, dictionary }: DeltaColumn): Generator<Flat> {
  yield* [codes, lesser, isKnown, index.offsets, index.rows];
  if (dictionary.kind === 'text') for (const { bytes } of (dictionary as DeltaTextDictionary).texts) yield bytes;
  else if (dictionary.kind !== 'presence') yield dictionary.values;
}

function adjacenciesOf({ links, polymorphic, versions }: Segment['collection']): Adjacency[] {
  const pairs = [...links.values(), ...(versions ? [versions] : [])];
  return [...pairs.flatMap(({ forward, reverse }) => [forward, reverse]), ...polymorphic.values()];
}

function* patchArrays({ patch }: Adjacency, other: Adjacency): Generator<Flat> {
  if (!patch) return;
  yield patch.rows.words;
  const others = other.patch?.lists;
  for (const [row, list] of patch.lists) {
    if (others?.get(row) === list) continue;
    const { targets, positions, collections, inversePositions, shownBy } = list;
    for (const array of [targets, positions, collections, inversePositions, shownBy]) if (array) yield array;
  }
}
