import { BitSet } from '../../core/sets/bit-set.ts';
import type { Collection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';
import { type OwnedLinks, ownedLinks } from '../../store/writer/links/owned-links.ts';
import { compareValues } from './compare-values.ts';
import type { EntryDifference, EntryDifferenceKind, EntryKey, ValueChange } from './differences.ts';
import { EntryReader, entryKeyOf, keyName } from './entry-values.ts';
import { EqualRows, idsOf, type LinkedStore } from './equal-rows.ts';

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

/** `before` or `after` is null if its store lacks the type. */
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
    const key = entryKeyOf(given.collection, row);
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

/**
 * Returns the rows of each collection of two stores that may differ: all but those that equal a row of the other store,
 * link to the same entries, and whose components do. Parses nothing of equal rows.
 */
function changedRows(before: LinkedStore, after: LinkedStore): [before: BitSet[], after: BitSet[]] {
  const full = ({ store }: LinkedStore) => store.collections.map(({ rowCount }) => BitSet.full(rowCount));
  const empty = ({ store }: LinkedStore) => store.collections.map(({ rowCount }) => new BitSet(rowCount));
  const [changed, otherChanged] = [full(before), full(after)];
  // rows whose id is that of another entry in the other store
  const [renamed, otherRenamed] = [empty(before), empty(after)];
  const equalRows = new EqualRows(before, after);
  for (const one of before.store.collections) {
    const other = after.store.byUid.get(one.type.uid);
    if (!other) continue;
    const isEqual = equalRows.ofType(one, other);
    eachPair(one, other, (row, otherRow) => {
      if (isEqual(row, otherRow)) {
        changed[one.number].delete(row);
        otherChanged[other.number].delete(otherRow);
      } else if (
        one.type.kind !== 'component' &&
        keyName(entryKeyOf(one, row)) !== keyName(entryKeyOf(other, otherRow))
      ) {
        renamed[one.number].add(row);
        otherRenamed[other.number].add(otherRow);
      }
    });
  }
  spreadToSources(before, changed, renamed);
  spreadToSources(after, otherChanged, otherRenamed);
  return [changed, otherChanged];
}

/** Visits the rows of two collections that have the same id. Rows are in the order of their ids. */
function eachPair(one: Collection, other: Collection, visit: (row: number, otherRow: number) => void): void {
  const [ids, otherIds] = [idsOf(one), idsOf(other)];
  for (let row = 0, otherRow = 0; row < ids.length && otherRow < otherIds.length; ) {
    const [id, otherId] = [ids[row], otherIds[otherRow]];
    if (id === otherId) visit(row, otherRow);
    if (id <= otherId) row++;
    if (otherId <= id) otherRow++;
  }
}

/** Adds the rows that link to a renamed row or hold a component among the changed rows, also through others. */
function spreadToSources({ links }: LinkedStore, changed: readonly BitSet[], renamed: readonly BitSet[]): void {
  if (renamed.some((rows) => rows.count() > 0)) for (const owned of links) addSources(owned, renamed, changed);
  const nested = links.filter(({ collection, attribute }) => {
    const kind = collection.type.attributes.get(attribute)?.kind;
    return kind === 'component' || kind === 'dynamiczone';
  });
  let isComplete = false;
  while (!isComplete) {
    isComplete = true;
    for (const owned of nested) if (addSources(owned, changed, changed)) isComplete = false;
  }
}

/** Adds the rows that link to a target. Returns whether there was a row to add. */
function addSources(owned: OwnedLinks, targetRows: readonly BitSet[], sourceRows: readonly BitSet[]): boolean {
  const { collection, links, targetCollection } = owned;
  const { offsets, targets } = links;
  const sources = sourceRows[collection.number];
  let isAdded = false;
  for (let row = 0; row < collection.rowCount; row++) {
    if (sources.has(row)) continue;
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      if (!targetRows[targetCollection(link)].has(targets[link])) continue;
      sources.add(row);
      isAdded = true;
      break;
    }
  }
  return isAdded;
}
