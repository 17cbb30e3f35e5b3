import type { JsonRows } from './json-rows.ts';
import { deltaRowOf } from './overlay/delta.ts';
import type { Segment } from './segment.ts';

/** The JSON of a row of a segment: row number `at` of `rows`. */
export interface RowJson {
  readonly rows: JsonRows;
  readonly at: number;
}

export function jsonOf({ collection, delta, changed }: Segment, row: number): RowJson {
  if (delta && changed?.has(row)) return { rows: delta.jsonRows[deltaRowOf(delta, row)], at: 0 };
  return { rows: collection.jsonRows, at: row };
}
