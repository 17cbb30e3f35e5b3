import type { BitSet } from '../../core/sets/bit-set.ts';
import type { Collection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';
import { ownedLinks } from '../../store/writer/links/owned-links.ts';
import { changedRows } from './changed-rows.ts';
import { compareValues } from './compare-values.ts';
import type { EntryDifference, EntryDifferenceKind, EntryKey, ValueChange } from './differences.ts';
import { EntryReader, keyName, keyOf } from './entry-values.ts';

/** Some rows of a collection, and what reads their values. */
interface RowsOfType {
  readonly collection: Collection;
  readonly rows: BitSet;
  readonly reader: EntryReader;
}

/**
 * Yields the entries that differ between two stores, by type, documentId, locale and status. Entries are matched by
 * these, whatever their ids, and entries without a documentId by id. An entry of a type without drafts counts as
 * published. Parses only entries whose bytes or links differ.
 */
export function* entryDifferences(before: Store, after: Store): Generator<EntryDifference> {
  if (before.contentDigest === after.contentDigest) return;
  const [one, other] = [before, after].map((store) => ({ store, links: ownedLinks(store) }));
  const [oneRows, otherRows] = changedRows(one, other);
  const [oneReader, otherReader] = [new EntryReader(one, after), new EntryReader(other, before)];
  const rowsOf = (store: Store, uid: string, rows: readonly BitSet[], reader: EntryReader): RowsOfType | null => {
    const collection = store.byUid.get(uid);
    if (!collection || collection.type.kind === 'component') return null;
    return { collection, rows: rows[collection.number], reader };
  };
  for (const uid of Array.from(new Set([...before.byUid.keys(), ...after.byUid.keys()])).sort()) {
    yield* differencesOfType(rowsOf(before, uid, oneRows, oneReader), rowsOf(after, uid, otherRows, otherReader));
  }
}

/** Null stands for a type that is missing. */
function differencesOfType(before: RowsOfType | null, after: RowsOfType | null): EntryDifference[] {
  const unmatched = rowsByKey(before);
  const differences: EntryDifference[] = [];
  for (const [name, { key, rows }] of rowsByKey(after)) {
    const earlier = unmatched.get(name)?.rows ?? [];
    // several rows have one key only in content with mistakes
    for (const row of rows) {
      const match = earlier.shift();
      if (match === undefined) differences.push(difference(key, 'added'));
      else differences.push(compare(key, before!, match, after!, row));
    }
  }
  for (const { key, rows } of unmatched.values()) {
    for (const _ of rows) differences.push(difference(key, 'removed'));
  }
  return differences.sort(inOrder);
}

function compare(key: EntryKey, before: RowsOfType, row: number, after: RowsOfType, otherRow: number): EntryDifference {
  const changes = compareValues(
    before.reader.values(before.collection, row),
    after.reader.values(after.collection, otherRow),
  );
  return difference(key, changes.length > 0 ? 'changed' : 'minor', changes);
}

function difference(key: EntryKey, kind: EntryDifferenceKind, changes: ValueChange[] = []): EntryDifference {
  return { ...key, kind, changes };
}

function rowsByKey(given: RowsOfType | null): Map<string, { key: EntryKey; rows: number[] }> {
  const found = new Map<string, { key: EntryKey; rows: number[] }>();
  if (!given) return found;
  for (const row of given.rows.toArray()) {
    const key = keyOf(given.collection, row);
    const name = keyName(key);
    const known = found.get(name);
    if (known) known.rows.push(row);
    else found.set(name, { key, rows: [row] });
  }
  return found;
}

function inOrder(one: EntryDifference, other: EntryDifference): number {
  return (
    compareTexts(one.documentId ?? '', other.documentId ?? '') ||
    (one.id ?? 0) - (other.id ?? 0) ||
    compareTexts(one.locale ?? '', other.locale ?? '') ||
    compareTexts(one.status ?? '', other.status ?? '')
  );
}

/** Compares by code units, so that the order is the same on every machine. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
