import { columnBuilder } from '../build/column-builder.ts';
import { servedJsonText } from '../model/json-text.ts';
import { iota } from '../sets/row-set.ts';
import type { Collection } from '../store/collection.ts';
import type { Column } from '../store/column.ts';

const known = new WeakMap<Column, Column>();

/** A column of JSON as texts, for tests that look into it. Read from the jsonRows once, unless replies show other values. */
export function jsonColumn(collection: Collection, name: string): Column {
  const original = collection.jsonTexts.get(name);
  if (original) return original;
  const presence = collection.columns.get(name)!;
  let column = known.get(presence);
  if (!column) {
    const builder = columnBuilder('string');
    const rows = iota(collection.rowCount);
    for (const row of rows) {
      builder.push(presence.codes[row] === 0 ? undefined : servedJsonText(collection.jsonRows.value(row, name)));
    }
    column = builder.finish(rows);
    known.set(presence, column);
  }
  return column;
}
