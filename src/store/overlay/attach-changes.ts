import { BitSet } from '../../core/sets/bit-set.ts';
import type { Collection } from '../collection.ts';
import type { Column } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../columns/number-dictionary.ts';
import { JsonRows } from '../json-rows.ts';
import type { Adjacency } from '../links/adjacency.ts';
import type { LinkPatch, PatchedLinks } from '../links/link-patch.ts';
import { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import { DeltaText, DeltaTextDictionary } from '../texts/delta-text-dictionary.ts';
import { LazyValueIndex } from '../writer/columns/build-value-index.ts';
import type { Delta } from './delta.ts';
import { DeltaColumn } from './delta-column.ts';
import type {
  DescribedColumn,
  DescribedDelta,
  DescribedLinks,
  DescribedPatch,
  DescribedSegment,
  Pieces,
} from './describe-changes.ts';

/** Returns the store whose changes were described. `base` is its base, in any thread. */
export function attachChanges(base: Store, changes: readonly DescribedSegment[]): Store {
  const known = new Map<DescribedPatch, LinkPatch>();
  const patchOf = (described: DescribedPatch) => {
    const patch = known.get(described) ?? attachPatch(described);
    known.set(described, patch);
    return patch;
  };
  const segments = base.collections.map((collection, number) => {
    const { dead, delta, links } = changes[number];
    const patched = Object.freeze(withPatches(collection, links, patchOf));
    return new Segment(patched, dead, undefined, delta && attachDelta(collection, delta));
  });
  return createStore(base, segments);
}

function withPatches(
  collection: Collection,
  described: readonly DescribedLinks[],
  patchOf: (described: DescribedPatch) => LinkPatch,
): Collection {
  const links = new Map(collection.links);
  const polymorphic = new Map(collection.polymorphic);
  let { versions } = collection;
  for (const { place, patch: describedPatch } of described) {
    const patch = patchOf(describedPatch);
    if (place.kind === 'polymorphic') {
      polymorphic.set(place.attribute, { ...polymorphic.get(place.attribute)!, patch });
    } else {
      const pair = place.kind === 'versions' ? versions! : links.get(place.attribute)!;
      const side: Adjacency = { ...pair[place.side], patch };
      const patched = { ...pair, [place.side]: side };
      if (place.kind === 'versions') versions = patched;
      else links.set(place.attribute, patched);
    }
  }
  return { ...collection, links, polymorphic, versions };
}

function attachPatch(described: DescribedPatch): LinkPatch {
  const { rows: words, rowCount, sources, offsets, targets } = described;
  const { positions, collections, inversePositions, shownBy } = described;
  const lists = new Map<number, PatchedLinks>();
  for (let i = 0; i < sources.length; i++) {
    const [start, end] = [offsets[i], offsets[i + 1]];
    const shown = shownBy?.subarray(start, end) ?? null;
    lists.set(sources[i], {
      targets: targets.subarray(start, end),
      positions: positions?.subarray(start, end) ?? null,
      collections: collections?.subarray(start, end),
      inversePositions: inversePositions?.subarray(start, end) ?? null,
      shownBy: shown?.some((number) => number > 0) ? shown : null,
    });
  }
  const rows = new BitSet(rowCount, words);
  return { rows, lists, linkCount: targets.length, unlinkedCount: rows.count() - lists.size };
}

function attachDelta(collection: Collection, described: DescribedDelta): Delta {
  const { rows, rowCount, greatestId, isInIdOrder, replaced, published, columns, jsonTexts, json } = described;
  return {
    ...{ rows, rowCount, greatestId, isInIdOrder },
    replaced: new BitSet(collection.rowCount, replaced),
    published: published && new BitSet(rows.length, published),
    columns: attachColumns(collection.columns, columns),
    jsonTexts: attachColumns(collection.jsonTexts, jsonTexts),
    jsonRows: splitRows(json, rows.length, collection.jsonRows.names),
    jsonBytes: json.bytes.length,
  };
}

function attachColumns(
  base: ReadonlyMap<string, Column>,
  described: ReadonlyMap<string, DescribedColumn>,
): Map<string, DeltaColumn> {
  return new Map(
    Array.from(described, ([name, { codes, lesser, isKnown, values }]) => {
      const dictionary = attachDictionary(base.get(name)!.dictionary, values);
      const index = new LazyValueIndex(codes, dictionary.size);
      return [name, new DeltaColumn(codes, dictionary, index, lesser, isKnown)];
    }),
  );
}

function attachDictionary(base: Dictionary, values: DescribedColumn['values']): Dictionary {
  switch (base.kind) {
    case 'number':
      return NumberDictionary.of(values as Float64Array, base.texts);
    case 'bigint':
      return new BigIntegerDictionary(values as BigInt64Array);
    case 'text':
      return new DeltaTextDictionary(splitTexts(values as Pieces));
    case 'presence':
      return base;
  }
}

function splitTexts({ bytes, offsets }: Pieces): DeltaText[] {
  const texts: DeltaText[] = [];
  for (let i = 0; i + 1 < offsets.length; i++) texts.push(new DeltaText(bytes.subarray(offsets[i], offsets[i + 1])));
  return texts;
}

/** The rows share the memory. */
function splitRows({ bytes, offsets }: Pieces, rowCount: number, names: readonly string[]): JsonRows[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const stride = names.length + 1;
  return Array.from({ length: rowCount }, (_, row) => {
    return new JsonRows(buffer, offsets.subarray(row * stride, (row + 1) * stride), names);
  });
}
