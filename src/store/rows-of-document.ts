import type { Collection } from './collection.ts';
import type { Column } from './columns/column.ts';
import type { Segment } from './segment.ts';

/** Returns the live rows of a document, ascending. */
export function rowsOfDocument(segment: Segment, documentId: string): number[] {
  return liveRowsWithText(segment, 'documentId', documentId);
}

/** Returns the live rows that have a text in an attribute, ascending. */
export function liveRowsWithText({ collection, delta, live }: Segment, attribute: string, text: string): number[] {
  const stored = rowsWithText(collection.columns.get(attribute), text);
  if (!delta) return [...stored].filter((row) => live === null || live.has(row));
  const kept = [...stored].filter((row) => !delta.replaced.has(row));
  const changed = rowsWithText(delta.columns.get(attribute), text);
  return [...kept, ...Array.from(changed, (row) => delta.rows[row])].sort((a, b) => a - b);
}

/** Returns the documentId that the collection holds for a row, whatever the delta says; null if it holds none. */
export function documentIn({ columns, rowCount }: Collection, row: number): string | null {
  const column = columns.get('documentId');
  const code = row < rowCount ? (column?.codes[row] ?? 0) : 0;
  return code > 0 && column?.dictionary.kind === 'text' ? column.dictionary.text(code - 1) : null;
}

/** Returns the rows that differ from the collection: dead, replaced and new ones. A row may occur twice. */
export function* changedRows({ dead, delta }: Segment): Generator<number> {
  yield* dead;
  if (delta) yield* delta.rows;
}

function rowsWithText(column: Column | undefined, text: string): Uint32Array {
  if (column?.dictionary.kind !== 'text') return new Uint32Array(0);
  const value = column.dictionary.find(text);
  const { offsets, rows } = column.index;
  return value < 0 ? new Uint32Array(0) : rows.subarray(offsets[value + 1], offsets[value + 2]);
}
