import type { Comparable } from '../model/schema/value-types.ts';
import type { Column } from './columns/column.ts';
import type { JsonRows } from './json-rows.ts';
import { deltaRowOf } from './overlay/delta.ts';
import type { Segment } from './segment.ts';

/** Returns the value of a row as it is compared; null for null, for JSON, and for an attribute without a column. */
export function readValue({ collection, delta, changed }: Segment, row: number, attribute: string): Comparable | null {
  if (delta && changed?.has(row)) return valueAt(delta.columns.get(attribute), deltaRowOf(delta, row));
  return row < collection.rowCount ? valueAt(collection.columns.get(attribute), row) : null;
}

/** The same for an attribute of text. */
export function readText(segment: Segment, row: number, attribute: string): string | null {
  const value = readValue(segment, row, attribute);
  return typeof value === 'string' ? value : null;
}

/** The same for an attribute that is compared as a number: booleans are 0 and 1, dates are milliseconds. */
export function readNumber(segment: Segment, row: number, attribute: string): number | null {
  const value = readValue(segment, row, attribute);
  return typeof value === 'number' ? value : null;
}

function valueAt(column: Column | undefined, row: number): Comparable | null {
  const code = column?.codes[row] ?? 0;
  if (!column || code === 0) return null;
  const { dictionary } = column;
  if (dictionary.kind === 'presence') return null;
  return dictionary.kind === 'text' ? dictionary.text(code - 1) : dictionary.values[code - 1];
}

/** The JSON of a row of a segment: row number `at` of `rows`. */
export interface RowJson {
  readonly rows: JsonRows;
  readonly at: number;
}

export function jsonOf({ collection, delta, changed }: Segment, row: number): RowJson {
  if (delta && changed?.has(row)) return { rows: delta.jsonRows[deltaRowOf(delta, row)], at: 0 };
  return { rows: collection.jsonRows, at: row };
}
