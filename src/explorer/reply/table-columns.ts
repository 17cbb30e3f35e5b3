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

/** Pixels of the padding, the arrow of the sort and the button beside the name of a column. */
const headSpace = 68;

const maxWidth = 340;

/** Returns the columns of which some part is between two positions: the first one, and the one after the last. */
export function columnsBetween(columns: readonly Column[], left: number, right: number): readonly [number, number] {
  let edge = 0;
  let first = 0;
  let end = 0;
  for (const { width } of columns) {
    if (edge < right) end++;
    edge += width;
    if (edge <= left) first++;
  }
  return [Math.min(first, end), end];
}

/** So many rows decide on the columns. */
const sample = 60;

/** Returns the data of a reply, which may have no envelope. */
export function dataOf(reply: unknown): unknown {
  return isObject(reply) && 'data' in reply ? reply.data : reply;
}

/**
 * Returns the table of a reply, in which `links`, which replies end with, follow the first text. One entry is a table of
 * names and values. Null for anything else.
 */
export function tableOf(reply: unknown, links: readonly string[] = []): Table | null {
  const data = dataOf(reply);
  if (Array.isArray(data)) {
    if (!data.slice(0, sample).every(isObject)) return null;
    return { rows: data, columns: columnsOf(data, links) };
  }
  if (!isObject(data)) return null;
  const rows = Object.entries(data).map(([name, value]) => ({ name, value }));
  const width = (name: string) => (name === 'value' ? 640 : 180);
  return { rows, columns: ['name', 'value'].map((name) => ({ name, width: width(name), isNumeric: false })) };
}

function columnsOf(rows: readonly Readonly<Record<string, unknown>>[], links: readonly string[]): Column[] {
  const sampled = rows.slice(0, sample);
  const names = [...new Set(sampled.flatMap((row) => Object.keys(row)))];
  const own = names.filter((name) => !links.includes(name));
  const isText = (name: string) => name !== 'documentId' && sampled.some((row) => typeof row[name] === 'string');
  const linksFrom = own.findIndex(isText) + 1 || own.length;
  const linked = names.filter((name) => links.includes(name));
  return own.toSpliced(linksFrom, 0, ...linked).map((name) => {
    const values = sampled.map((row) => row[name]);
    const lengths = values.map((value) => summaryOf(value, 60).length);
    const length = Math.max(...lengths);
    const isNumeric = values.some((value) => typeof value === 'number') && values.every(isNumberOrNothing);
    return { name, width: Math.max(Math.min(length * 7.4 + 26, maxWidth), name.length * 7.8 + headSpace), isNumeric };
  });
}

function isNumberOrNothing(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}
