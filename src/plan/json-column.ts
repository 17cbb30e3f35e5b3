import { servedJsonText } from '../schema/json-text.ts';
import { buildDictionary } from '../store/build-dictionary.ts';
import type { Collection } from '../store/collection.ts';
import { Column } from '../store/column.ts';

const known = new WeakMap<Column, Column>();

/** A column of JSON as texts, for tests that look into it. Read from the slices on first use, then kept. */
export function jsonColumn(collection: Collection, name: string): Column {
  const presence = collection.columns.get(name)!;
  let column = known.get(presence);
  if (!column) {
    const numbers = new Map<string, number>();
    const codes = new Uint32Array(collection.rowCount);
    for (let row = 0; row < codes.length; row++) {
      if (presence.codes[row] === 0) continue;
      const text = servedJsonText(collection.slices.value(row, name));
      if (!numbers.has(text)) numbers.set(text, numbers.size);
      codes[row] = numbers.get(text)! + 1;
    }
    const built = buildDictionary('string', Array.from(numbers.keys()));
    for (let row = 0; row < codes.length; row++) if (codes[row] > 0) codes[row] = built.codes[codes[row] - 1];
    column = new Column(codes, built.dictionary);
    known.set(presence, column);
  }
  return column;
}
