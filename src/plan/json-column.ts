import { servedJsonText } from '../schema/json-text.ts';
import { everyNumber } from '../sets/rows.ts';
import type { Collection } from '../store/collection.ts';
import type { Column } from '../store/column.ts';
import { columnBuilder } from '../store/column-builder.ts';

const known = new WeakMap<Column, Column>();

/** A column of JSON as texts, for tests that look into it. Read from the slices once, unless replies show other values. */
export function jsonColumn(collection: Collection, name: string): Column {
  const original = collection.jsonTexts.get(name);
  if (original) return original;
  const presence = collection.columns.get(name)!;
  let column = known.get(presence);
  if (!column) {
    const builder = columnBuilder('string');
    const rows = everyNumber(collection.rowCount);
    for (const row of rows) {
      builder.push(presence.codes[row] === 0 ? undefined : servedJsonText(collection.slices.value(row, name)));
    }
    column = builder.finish(rows);
    known.set(presence, column);
  }
  return column;
}
