import { BitSet } from '../../core/sets/bit-set.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import { collectionsOf, type PolymorphicAdjacency, targetsOf } from '../../store/links/adjacency.ts';
import { changedRows } from '../../store/rows-of-document.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { type OwnedLinks, ownedLinks } from '../../store/writer/links/owned-links.ts';
import { compareValues } from './compare-values.ts';
import type { EntryDifference, EntryDifferenceKind, EntryKey, ValueChange } from './differences.ts';
import { EntryReader, entryKeyOf, keyName } from './entry-values.ts';
import { EqualRows, type LinkedStore, rowIdsOf } from './equal-rows.ts';

/** Some rows of a segment, and what reads their values. */
interface RowsOfType {
  readonly segment: Segment;
  readonly rows: BitSet;
  readonly reader: EntryReader;
}

/**
 * Returns the entries that differ between two stores, by type, documentId, locale and status. Entries are matched by
 * these, whatever their ids, and entries without a documentId by id. An entry of a type without drafts counts as
 * published. Parses only entries whose bytes or links differ. If the stores have the same rows but for changes, reads
 * only the rows that changes concern.
 */
export function* entryDifferencesInSteps(before: Store, after: Store): Steps<EntryDifference[]> {
  if (before.contentDigest === after.contentDigest) return [];
  const [one, other] = [before, after].map((store) => ({ store, links: ownedLinks(store) }));
  const [oneRows, otherRows] = yield* differingRowsInSteps(one, other);
  const [oneReader, otherReader] = [new EntryReader(before, after), new EntryReader(after, before)];
  const rowsOf = (store: Store, uid: string, rows: readonly BitSet[], reader: EntryReader): RowsOfType | null => {
    const collection = store.byUid.get(uid);
    if (!collection || collection.type.kind === 'component') return null;
    return { segment: store.segments[collection.number], rows: rows[collection.number], reader };
  };
  const differences: EntryDifference[] = [];
  for (const uid of Array.from(new Set([...before.byUid.keys(), ...after.byUid.keys()])).sort()) {
    const [rows, others] = [rowsOf(before, uid, oneRows, oneReader), rowsOf(after, uid, otherRows, otherReader)];
    for (const one of yield* differencesOfTypeInSteps(rows, others)) differences.push(one);
  }
  return differences;
}

/** As `entryDifferencesInSteps`, at once. */
export function entryDifferences(before: Store, after: Store): EntryDifference[] {
  return runAtOnce(entryDifferencesInSteps(before, after));
}

/** `before` or `after` is null if its store lacks the type. */
function* differencesOfTypeInSteps(before: RowsOfType | null, after: RowsOfType | null): Steps<EntryDifference[]> {
  const unmatched = rowsByKey(before);
  const differences: EntryDifference[] = [];
  for (const [name, { key, rows }] of rowsByKey(after)) {
    const earlier = unmatched.get(name)?.rows ?? [];
    yield;
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
    before.reader.values(before.segment, row),
    after.reader.values(after.segment, otherRow),
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
    const key = entryKeyOf(given.segment, row);
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
function* differingRowsInSteps(before: LinkedStore, after: LinkedStore): Steps<[before: BitSet[], after: BitSet[]]> {
  const [changed, otherChanged] = haveSameRows(before.store, after.store)
    ? touchedRows(before, after)
    : [liveRows(before.store), liveRows(after.store)];
  // rows whose id is that of another entry in the other store
  const [renamed, otherRenamed] = [before, after].map(({ store }) => {
    return store.segments.map(({ rowCount }) => new BitSet(rowCount));
  });
  const equalRows = new EqualRows(before, after);
  for (const one of before.store.segments) {
    const { type, number } = one.collection;
    const otherNumber = after.store.byUid.get(type.uid)?.number;
    if (otherNumber === undefined) continue;
    const other = after.store.segments[otherNumber];
    const isEqual = equalRows.ofType(one, other);
    const pairs = pairsById([one, changed[number]], [other, otherChanged[otherNumber]]);
    for (const [row, otherRow] of pairs) {
      if (isEqual(row, otherRow)) {
        changed[number].delete(row);
        otherChanged[otherNumber].delete(otherRow);
      } else if (type.kind !== 'component' && keyName(entryKeyOf(one, row)) !== keyName(entryKeyOf(other, otherRow))) {
        renamed[number].add(row);
        otherRenamed[otherNumber].add(otherRow);
      }
      yield;
    }
  }
  yield* spreadToSourcesInSteps(before, changed, renamed);
  yield* spreadToSourcesInSteps(after, otherChanged, otherRenamed);
  return [changed, otherChanged];
}

/** Whether two stores have the same rows, but for changes since these were loaded. */
function haveSameRows({ segments }: Store, { segments: others }: Store): boolean {
  const rowsOf = (segment: Segment | undefined) => segment?.collection.jsonRows;
  return segments.length === others.length && segments.every((segment, i) => rowsOf(segment) === rowsOf(others[i]));
}

/** Returns the live rows of two such stores that changes of either concern. */
function touchedRows(before: LinkedStore, after: LinkedStore): BitSet[][] {
  return [before, after].map(({ store }) =>
    store.segments.map((segment, number) => {
      const touched = new BitSet(segment.rowCount);
      const isSame = before.store.segments[number] === after.store.segments[number];
      for (const one of isSame ? [] : [before, after]) {
        for (const row of rowsWithChanges(one, number)) if (row < segment.rowCount) touched.add(row);
      }
      return touched.intersect(liveRowsOf(segment));
    }),
  );
}

/** A row may occur several times. */
function* rowsWithChanges({ store, links }: LinkedStore, number: number): Generator<number> {
  const segment = store.segments[number];
  yield* changedRows(segment);
  for (const owned of links) {
    if (owned.collection === segment.collection && owned.links.patch) yield* owned.links.patch.rows.toArray();
  }
}

function liveRows({ segments }: Store): BitSet[] {
  return segments.map((segment) => liveRowsOf(segment).clone());
}

/** Shared: do not change it. */
function liveRowsOf({ live, allRows }: Segment): BitSet {
  return live ?? allRows;
}

type RowsOfSegment = readonly [segment: Segment, rows: BitSet];

/** Returns the rows of two segments that have the same id. */
function* pairsById(rows: RowsOfSegment, otherRows: RowsOfSegment): Generator<[row: number, otherRow: number]> {
  const [one, other] = [rowsById(rows), rowsById(otherRows)];
  for (let i = 0, j = 0; i < one.rows.length && j < other.rows.length; ) {
    const [id, otherId] = [one.idOf(one.rows[i]), other.idOf(other.rows[j])];
    if (id === otherId) yield [one.rows[i], other.rows[j]];
    if (id <= otherId) i++;
    if (otherId <= id) j++;
  }
}

/** Returns rows in the order of their ids. */
function rowsById([segment, set]: RowsOfSegment): { rows: Uint32Array; idOf(row: number): number } {
  const [rows, idOf] = [set.toArray(), rowIdsOf(segment)];
  return { rows: segment.isInIdOrder ? rows : rows.sort((a, b) => idOf(a) - idOf(b)), idOf };
}

/** Adds the rows that link to a renamed row or hold a component among the changed rows, also through others. */
function* spreadToSourcesInSteps(
  { links }: LinkedStore,
  changed: readonly BitSet[],
  renamed: readonly BitSet[],
): Steps<void> {
  if (hasMembers(renamed)) for (const owned of links) addSources(owned, renamed, changed);
  const nested = links.filter(({ collection, attribute }) => {
    const kind = collection.type.attributes.get(attribute)?.kind;
    return kind === 'component' || kind === 'dynamiczone';
  });
  let isComplete = !hasMembers(changed);
  while (!isComplete) {
    isComplete = true;
    for (const owned of nested) {
      if (addSources(owned, changed, changed)) isComplete = false;
      yield;
    }
  }
}

function hasMembers(sets: readonly BitSet[]): boolean {
  return sets.some((rows) => rows.count() > 0);
}

/** Adds the rows that link to a target. Returns whether there was a row to add. */
function addSources(owned: OwnedLinks, targetRows: readonly BitSet[], sourceRows: readonly BitSet[]): boolean {
  const { collection, links, targetCollection } = owned;
  const { offsets, targets, patch } = links;
  const sources = sourceRows[collection.number];
  let isAdded = false;
  for (let row = 0; row < collection.rowCount; row++) {
    if (sources.has(row) || patch?.rows.has(row)) continue;
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      if (!targetRows[targetCollection(link)].has(targets[link])) continue;
      sources.add(row);
      isAdded = true;
      break;
    }
  }
  for (const row of patch?.lists.keys() ?? []) {
    if (sources.has(row) || !linksTo(owned, row, targetRows)) continue;
    sources.add(row);
    isAdded = true;
  }
  return isAdded;
}

/** As `addSources` finds it, for a row whose links have changed. */
function linksTo({ owning }: OwnedLinks, row: number, targetRows: readonly BitSet[]): boolean {
  const { links, inverse } = owning;
  const collections = inverse ? null : collectionsOf(links as PolymorphicAdjacency, row);
  return targetsOf(links, row).some((target, i) => {
    return targetRows[collections ? collections[i] : inverse!.collection].has(target);
  });
}
