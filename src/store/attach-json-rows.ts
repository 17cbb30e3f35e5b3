import type { ArrayList, ArrayTable } from './flat-arrays.ts';
import { JsonRows } from './json-rows.ts';

/** Adds the arrays of serialised rows. */
export function describeJsonRows(list: ArrayList, place: string, { bytes, starts, offsets }: JsonRows): void {
  list.add(`${place}/bytes`, bytes);
  list.add(`${place}/starts`, starts);
  list.add(`${place}/offsets`, offsets);
}

/** Returns the rows over their arrays. Images before format 3 have the places of fragments in all bytes, of which it copies. */
export function attachJsonRows(table: ArrayTable, place: string, names: readonly string[]): JsonRows {
  const bytes = table.bytes(`${place}/bytes`);
  if (!table.has(`${place}/starts`)) return JsonRows.at(bytes, table.uint32(`${place}/offsets`), names);
  const offsets = table.uint16OrUint32(`${place}/offsets`);
  return new JsonRows(bytes, table.uint32(`${place}/starts`), offsets, names);
}
