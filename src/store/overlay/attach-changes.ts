/** Describes the changes of a segment as flat arrays, beside those of its collection, and attaches them. */
import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { BitSet } from '../../core/sets/bit-set.ts';
import type { Steps } from '../../core/steps.ts';
import { attachJsonRows, describeJsonRows } from '../attach-json-rows.ts';
import { adjacenciesOf, type Collection, replaceAdjacencies } from '../collection.ts';
import type { Column } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../columns/number-dictionary.ts';
import type { ArrayList, ArrayTable, FlatArray } from '../flat-arrays.ts';
import { JsonRows } from '../json-rows.ts';
import type { Adjacency } from '../links/adjacency.ts';
import type { LinkPatch, PatchedLinks } from '../links/link-patch.ts';
import { hasChanges, Segment } from '../segment.ts';
import { DeltaText, DeltaTextDictionary } from '../texts/delta-text-dictionary.ts';
import { LazyValueIndex } from '../writer/columns/build-value-index.ts';
import type { Delta } from './delta.ts';
import { DeltaColumn } from './delta-column.ts';

/** What the names of the arrays begin with. */
export const changesPrefix = 'changes/';

const placeOf = ({ type }: Collection) => `${changesPrefix}${type.uid}`;

/**
 * Adds the changes of segments to the arrays of their collections. A step takes a time that grows with one column of a
 * delta or with one patch. `allocator` makes the memory of texts and JSON, which are joined. Lists of links are joined on
 * the heap. All other arrays are those of the segments.
 */
export function* describeChangesInSteps(
  list: ArrayList,
  segments: readonly Segment[],
  allocator: Allocator = heapAllocator,
): Steps<void> {
  // adjacencies that are in several places are described once
  const patches = new Map<LinkPatch, ReadonlyMap<string, FlatArray>>();
  for (const segment of segments) {
    if (!hasChanges(segment)) continue;
    const place = placeOf(segment.collection);
    list.add(`${place}/dead`, segment.dead);
    if (segment.delta) yield* describeDeltaInSteps(list, `${place}/delta`, segment.delta, allocator);
    for (const [name, { patch }] of adjacenciesOf(segment.collection)) {
      if (!patch) continue;
      const arrays = patches.get(patch) ?? arraysOfPatch(patch);
      patches.set(patch, arrays);
      for (const [array, values] of arrays) list.add(`${place}/${name}/${array}`, values);
      list.addNumber(`${place}/${name}/rowCount`, patch.rows.size);
      yield;
    }
  }
}

/** Returns the segments of collections with the changes that were described. */
export function attachChanges(table: ArrayTable, collections: readonly Collection[]): Segment[] {
  // by their lists, which places share
  const patches = new Map<Uint32Array, LinkPatch>();
  return collections.map((collection) => {
    const place = placeOf(collection);
    if (!table.has(`${place}/dead`)) return new Segment(collection);
    const withPatch = <Links extends Adjacency>(links: Links, name: string): Links => {
      const path = `${place}/${name}`;
      if (!table.has(`${path}/targets`)) return links;
      const sources = table.uint32(`${path}/sources`);
      const patch = patches.get(sources) ?? attachPatch(table, path);
      patches.set(sources, patch);
      return { ...links, patch };
    };
    const delta = table.has(`${place}/delta/rows`) ? attachDelta(table, `${place}/delta`, collection) : null;
    const patched = Object.freeze(replaceAdjacencies(collection, withPatch));
    return new Segment(patched, table.uint32(`${place}/dead`), undefined, delta);
  });
}

function* describeDeltaInSteps(list: ArrayList, place: string, delta: Delta, allocator: Allocator): Steps<void> {
  list.add(`${place}/rows`, delta.rows);
  list.add(`${place}/replaced`, delta.replaced.words);
  if (delta.published) list.add(`${place}/published`, delta.published.words);
  list.addNumber(`${place}/rowCount`, delta.rowCount);
  list.addNumber(`${place}/greatestId`, delta.greatestId);
  list.addNumber(`${place}/isInIdOrder`, Number(delta.isInIdOrder));
  for (const of of ['columns', 'comparedTexts'] as const) {
    for (const [name, column] of delta[of]) {
      describeColumn(list, `${place}/${of}/${name}`, column, allocator);
      yield;
    }
  }
  describeJsonRows(list, `${place}/jsonRows`, JsonRows.joined(delta.jsonRows, allocator));
  yield;
}

function attachDelta(table: ArrayTable, place: string, { rowCount, published, ...base }: Collection): Delta {
  const rows = table.uint32(`${place}/rows`);
  const columns = (of: 'columns' | 'comparedTexts') =>
    new Map(Array.from(base[of], ([name, column]) => [name, attachColumn(table, `${place}/${of}/${name}`, column)]));
  const attached = attachJsonRows(table, `${place}/jsonRows`, base.jsonRows.names);
  return {
    rows,
    rowCount: table.number(`${place}/rowCount`),
    greatestId: table.number(`${place}/greatestId`),
    isInIdOrder: table.number(`${place}/isInIdOrder`) === 1,
    replaced: new BitSet(rowCount, table.uint32(`${place}/replaced`)),
    published: published && new BitSet(rows.length, table.uint32(`${place}/published`)),
    columns: columns('columns'),
    comparedTexts: columns('comparedTexts'),
    jsonRows: attached.split(),
    jsonBytes: attached.bytes.length,
  };
}

function describeColumn(list: ArrayList, place: string, column: DeltaColumn, allocator: Allocator): void {
  const { codes, baseCodes, dictionary } = column;
  list.add(`${place}/codes`, codes);
  list.add(`${place}/baseCodes`, new Uint32Array(baseCodes.buffer, baseCodes.byteOffset, baseCodes.length));
  if (dictionary.kind === 'presence') return;
  if (dictionary.kind !== 'text') return list.add(`${place}/values`, dictionary.values);
  const { bytes, offsets } = joinTexts((dictionary as DeltaTextDictionary).texts, allocator);
  list.add(`${place}/bytes`, bytes);
  list.add(`${place}/offsets`, offsets);
}

/** `base` is the column of the collection. */
function attachColumn(table: ArrayTable, place: string, base: Column): DeltaColumn {
  const codes = table.uint32(`${place}/codes`);
  const dictionary = attachDictionary(table, place, base.dictionary);
  const index = new LazyValueIndex(codes, dictionary.size);
  const { buffer, byteOffset, length } = table.uint32(`${place}/baseCodes`);
  return new DeltaColumn(codes, dictionary, index, new Int32Array(buffer, byteOffset, length));
}

function attachDictionary(table: ArrayTable, place: string, base: Dictionary): Dictionary {
  switch (base.kind) {
    case 'number':
      return NumberDictionary.of(table.float64(`${place}/values`), base.texts);
    case 'bigint':
      return new BigIntegerDictionary(table.bigint64(`${place}/values`));
    case 'text':
      return new DeltaTextDictionary(splitTexts(table.uint8(`${place}/bytes`), table.uint32(`${place}/offsets`)));
    case 'presence':
      return base;
  }
}

/** Returns the texts with their separators, one after the other. */
function joinTexts(texts: readonly DeltaText[], allocator: Allocator): { bytes: Buffer; offsets: Uint32Array } {
  const offsets = new Uint32Array(texts.length + 1);
  for (let i = 0; i < texts.length; i++) offsets[i + 1] = offsets[i] + texts[i].bytes.length;
  const bytes = allocator.bytes(offsets[texts.length]);
  for (let i = 0; i < texts.length; i++) bytes.set(texts[i].bytes, offsets[i]);
  return { bytes, offsets };
}

function splitTexts(bytes: Uint8Array, offsets: Uint32Array): DeltaText[] {
  const texts: DeltaText[] = [];
  for (let i = 0; i + 1 < offsets.length; i++) texts.push(new DeltaText(bytes.subarray(offsets[i], offsets[i + 1])));
  return texts;
}

/** Returns the arrays of a patch by name: the words of its rows, and its lists, one after the other. */
function arraysOfPatch({ rows, lists, linkCount }: LinkPatch): ReadonlyMap<string, FlatArray> {
  const values = [...lists.values()];
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) offsets[i + 1] = offsets[i] + values[i].targets.length;
  const arrays = new Map<string, FlatArray>([
    ['rows', rows.words],
    ['sources', Uint32Array.from(lists.keys())],
    ['offsets', offsets],
    ['targets', new Uint32Array(linkCount)],
  ]);
  for (const [i, list] of values.entries()) {
    arrays.get('targets')!.set(list.targets as never, offsets[i]);
    for (const [name, make] of optionalArrays) {
      const numbers = list[name];
      if (!numbers) continue;
      const joined = arrays.get(name) ?? make(linkCount);
      joined.set(numbers as never, offsets[i]);
      arrays.set(name, joined);
    }
  }
  return arrays;
}

/** What only some lists have. */
const optionalArrays = [
  ['positions', (length: number) => new Float64Array(length)],
  ['collections', (length: number) => new Uint16Array(length)],
  ['inversePositions', (length: number) => new Float64Array(length)],
  ['shownBy', (length: number) => new Uint16Array(length)],
] as const;

function attachPatch(table: ArrayTable, place: string): LinkPatch {
  const optional = <Numbers>(name: string, read: (path: string) => Numbers): Numbers | null =>
    table.has(`${place}/${name}`) ? read(`${place}/${name}`) : null;
  const [sources, offsets] = [table.uint32(`${place}/sources`), table.uint32(`${place}/offsets`)];
  const targets = table.uint32(`${place}/targets`);
  const positions = optional('positions', (path) => table.float64(path));
  const collections = optional('collections', (path) => table.uint16(path));
  const inversePositions = optional('inversePositions', (path) => table.float64(path));
  const shownBy = optional('shownBy', (path) => table.uint16(path));
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
  const rows = new BitSet(table.number(`${place}/rowCount`), table.uint32(`${place}/rows`));
  return { rows, lists, linkCount: targets.length, unlinkedCount: rows.count() - lists.size };
}
