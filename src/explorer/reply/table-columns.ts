/** A reply as a table: entries as rows, their attributes as columns. */
import { isObject, summaryOf } from './summaries.ts';

export interface Column {
  readonly name: string;
  /** Pixels. */
  readonly width: number;
  readonly isNumeric: boolean;
}

export interface Table {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly columns: readonly Column[];
}

/** So many rows decide on the columns. */
const sample = 60;

/** Returns the data of a reply, which may have no envelope. */
export function dataOf(reply: unknown): unknown {
  return isObject(reply) && 'data' in reply ? reply.data : reply;
}

/** Returns the table of a reply. One entry is a table of names and values. Null for anything else. */
export function tableOf(reply: unknown): Table | null {
  const data = dataOf(reply);
  if (Array.isArray(data)) {
    if (!data.slice(0, sample).every(isObject)) return null;
    return { rows: data, columns: columnsOf(data) };
  }
  if (!isObject(data)) return null;
  const rows = Object.entries(data).map(([name, value]) => ({ name, value }));
  return { rows, columns: columnsOf(rows).map((column) => ({ ...column, isNumeric: false })) };
}

function columnsOf(rows: readonly Readonly<Record<string, unknown>>[]): Column[] {
  const sampled = rows.slice(0, sample);
  const names = new Set(sampled.flatMap((row) => Object.keys(row)));
  return Array.from(names, (name) => {
    const values = sampled.map((row) => row[name]);
    const lengths = values.map((value) => summaryOf(value, 60).length);
    // room for the buttons of the head
    const length = Math.max(name.length + 6, ...lengths);
    const isNumeric = values.some((value) => typeof value === 'number') && values.every(isNumberOrNothing);
    return { name, width: Math.min(Math.max(length * 7.2 + 24, 72), 340), isNumeric };
  });
}

function isNumberOrNothing(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}
