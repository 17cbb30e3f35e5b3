/** The versions of documents that are shown with fallback locales: of each document, that in the first locale it has. */
import { BitSet } from '../../core/sets/bit-set.ts';
import type { Segment } from '../../store/segment.ts';
import { valueNumbers } from '../../store/value-numbers.ts';
import { PrefixCounts } from './prefix-counts.ts';
import { VisibleSet } from './visible-set.ts';

export interface ShownVersions {
  readonly visible: VisibleSet;
  /** Bytes of sets, tables and counts. */
  readonly bytes: number;
  /** Returns the row that is shown of the document of a live row; -1 if none is. */
  shownOf(row: number): number;
}

/**
 * Finds the rows that are shown, given the visible rows of each locale, the first locale first. Takes a time linear in
 * these rows and in the documents. Calls `grown` when `bytes` has grown.
 */
export function findShownVersions(segment: Segment, ofLocales: readonly BitSet[], grown: () => void): ShownVersions {
  const { delta, rowCount } = segment;
  const { size, numberOf } = valueNumbers(segment, 'documentId');
  const rows = new BitSet(rowCount);
  /** By document: one more than the row that is shown; 0 if none is. */
  const shown = new Uint32Array(size);
  for (const ofLocale of ofLocales) {
    for (const row of ofLocale.toArray()) {
      const document = numberOf(row);
      if (document !== 0 && shown[document] !== 0) continue;
      shown[document] = row + 1;
      rows.add(row);
    }
  }
  const { stored, changed } = storedMembers(segment, rows);
  const counts = new PrefixCounts(stored, grown);
  const corrections = changed && { removed: [], added: [], changed };
  const bytes = shown.byteLength + (delta ? 2 : 1) * rows.words.byteLength;
  return {
    visible: new VisibleSet(rows, rows.count(), counts, corrections),
    get bytes() {
      return bytes + counts.bytes;
    },
    shownOf(row) {
      const document = numberOf(row);
      if (document === 0) return rows.has(row) ? row : -1;
      return (shown[document] ?? 0) - 1;
    },
  };
}

/** Returns the members with the values of the collection, and the numbers in the delta of those with other values. */
function storedMembers({ delta, rowCount }: Segment, rows: BitSet): { stored: BitSet; changed: number[] | null } {
  if (!delta) return { stored: rows, changed: null };
  const stored = new BitSet(rowCount);
  stored.words.set(rows.words);
  const changed: number[] = [];
  for (let i = 0; i < delta.rows.length; i++) {
    if (!rows.has(delta.rows[i])) continue;
    stored.delete(delta.rows[i]);
    changed.push(i);
  }
  return { stored, changed };
}
