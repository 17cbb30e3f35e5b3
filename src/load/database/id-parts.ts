/** Divides tables into parts of neighbouring ids, so that little is read to find the rows that differ. */
import type { IdTable } from '../../core/sets/id-table.ts';

/** Rows with as many ids in turn are a part of their table. */
export const idsPerPart = 256;
/** The most ranges of ids that are read one by one. Beyond them, a table is read whole. */
const maxRanges = 200;

export function partOf(id: number): number {
  return Math.floor(id / idsPerPart);
}

/** Returns the condition in SQL that selects at least the rows of the numbered parts, with ` WHERE `. */
export function whereIn(parts: Iterable<number>): string {
  const ranges = rangesOf([...parts].sort((a, b) => a - b));
  if (ranges.length > maxRanges) return '';
  if (ranges.length === 0) return ' WHERE 1 = 0';
  return ` WHERE ${ranges.map(([from, to]) => `"id" BETWEEN ${from} AND ${to}`).join(' OR ')}`;
}

/** Returns a table with the rows of another one in the place of those of the numbered parts. */
export function replaceParts(before: IdTable, found: IdTable, parts: ReadonlySet<number>): IdTable {
  const changes = new Map<number, number | null>();
  for (const id of before.ids) if (parts.has(partOf(id))) changes.set(id, null);
  for (const [i, id] of found.ids.entries()) changes.set(id, found.values[i]);
  return before.with(changes);
}

/** Returns the first and last ids of parts, those of neighbours together. */
function rangesOf(parts: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const part of parts) {
    const from = part * idsPerPart;
    const last = ranges.at(-1);
    if (last?.[1] === from - 1) last[1] += idsPerPart;
    else ranges.push([from, from + idsPerPart - 1]);
  }
  return ranges;
}
