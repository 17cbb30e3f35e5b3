import { BitSet } from '../../core/sets/bit-set.ts';
import type { Steps } from '../../core/steps.ts';
import type { Column } from '../columns/column.ts';
import { JsonRows } from '../json-rows.ts';
import { Segment } from '../segment.ts';
import type { BatchColumn, BatchRows } from './batch-rows.ts';
import type { Delta } from './delta.ts';
import type { DeltaColumn } from './delta-column.ts';
import { mergeColumn } from './merge-column.ts';
import { type MergedRows, mergeRows } from './merge-rows.ts';

/**
 * Returns a segment after a batch of changes. `built` are the rows of the batch, with the schema and options of the
 * collection, or null for none. A row with the id of a live row replaces it and keeps its number. All others are
 * appended in ascending order of id. `removed` are rows of the segment that die; dead ones may be among them. Throws if
 * a row is both replaced and removed.
 *
 * Takes a time that grows with the batch and the delta, and copies bit sets of all rows. It reads no old value. A step
 * merges one column.
 */
export function* mergeDeltaInSteps(
  segment: Segment,
  built: BatchRows | null,
  removed: Iterable<number>,
): Steps<Segment> {
  const { collection, id } = segment;
  const died = new Set<number>();
  for (const row of removed) if (segment.isLive(row)) died.add(row);
  const merged = mergeRows(segment, built, died);
  const dead = died.size === 0 ? segment.dead : mergeAscending(segment.dead, Uint32Array.from(died).sort());
  // rows of the collection that were replaced are dead then
  const isUnchanged = merged.rows.length === 0 && merged.rowCount === collection.rowCount;
  yield;
  return new Segment(
    collection,
    dead,
    id,
    isUnchanged ? null : yield* mergeValuesInSteps(segment, built, merged, dead),
  );
}

function* mergeValuesInSteps(
  segment: Segment,
  built: BatchRows | null,
  merged: MergedRows,
  dead: Uint32Array,
): Steps<Delta> {
  const { collection, delta } = segment;
  const { sources, keepsRows, written, dropped, ...rows } = merged;
  const columnsInSteps = (of: 'columns' | 'comparedTexts'): Steps<Map<string, DeltaColumn>> =>
    mergeColumnsInSteps(collection[of], delta?.[of] ?? null, built?.[of] ?? null, merged);
  return {
    ...rows,
    replaced: rowsOfCollection(collection.rowCount, [rows.rows, dead]),
    columns: yield* columnsInSteps('columns'),
    comparedTexts: yield* columnsInSteps('comparedTexts'),
    ...(yield* mergeJsonRowsInSteps(delta, collection.jsonRows.names, built?.json, merged)),
    published: collection.published && mergePublished(delta?.published, built, sources),
  };
}

function* mergeColumnsInSteps(
  base: ReadonlyMap<string, Column>,
  old: ReadonlyMap<string, DeltaColumn> | null,
  added: ReadonlyMap<string, BatchColumn> | null,
  rows: MergedRows,
): Steps<Map<string, DeltaColumn>> {
  const merged = new Map<string, DeltaColumn>();
  for (const [name, column] of base) {
    const addedColumn = added?.get(name) ?? null;
    if (added && !addedColumn) throw new Error(`a batch has no column ${name}`);
    merged.set(name, mergeColumn(column, old?.get(name) ?? null, addedColumn, rows));
    yield;
  }
  return merged;
}

/** Returns the rows of lists that are rows of the collection. */
function rowsOfCollection(rowCount: number, lists: readonly Uint32Array[]): BitSet {
  const rows = new BitSet(rowCount);
  for (const list of lists) {
    for (const row of list) if (row < rowCount) rows.add(row);
  }
  return rows;
}

function mergeAscending(a: Uint32Array, b: Uint32Array): Uint32Array {
  const merged = new Uint32Array(a.length + b.length);
  let i = 0;
  let j = 0;
  for (let at = 0; at < merged.length; at++) merged[at] = j === b.length || a[i] < b[j] ? a[i++] : b[j++];
  return merged;
}

function mergePublished(old: BitSet | null | undefined, built: BatchRows | null, sources: Int32Array): BitSet {
  const added = built && new BitSet(built.ids.length, built.published!);
  const published = new BitSet(sources.length);
  for (let row = 0; row < sources.length; row++) {
    const source = sources[row];
    if (source >= 0 ? old!.has(source) : added!.has(~source)) published.add(row);
  }
  return published;
}

function* mergeJsonRowsInSteps(
  old: Delta | null,
  names: readonly string[],
  added: BatchRows['json'] | undefined,
  { sources, keepsRows, written, dropped }: MergedRows,
): Steps<Pick<Delta, 'jsonRows' | 'jsonBytes'>> {
  let jsonBytes = old?.jsonBytes ?? 0;
  for (let i = 0; i < dropped.length; i++) jsonBytes -= old!.jsonRows[dropped[i]].bytesOf(0);
  const jsonRows = keepsRows ? old!.jsonRows.slice() : new Array<JsonRows>(sources.length);
  for (let row = 0; row < sources.length && !keepsRows; row++) {
    if (sources[row] >= 0) jsonRows[row] = old!.jsonRows[sources[row]];
  }
  const given = added && new JsonRows(added.bytes, added.starts, added.offsets, names);
  for (const row of written) {
    jsonRows[row] = given!.copyOf(~sources[row]);
    jsonBytes += jsonRows[row].bytesOf(0);
    yield;
  }
  return { jsonRows, jsonBytes };
}
