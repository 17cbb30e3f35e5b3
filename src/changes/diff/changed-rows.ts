import { BitSet } from '../../core/sets/bit-set.ts';
import type { Collection } from '../../store/collection.ts';
import type { OwnedLinks } from '../../store/writer/links/owned-links.ts';
import { keyName, keyOf } from './entry-values.ts';
import { EqualRows, idsOf, type LinkedStore } from './equal-rows.ts';

/**
 * Returns the rows of each collection of two stores that may differ: all but those that equal a row of the other store,
 * link to the same entries, and whose components do. Parses nothing of equal rows.
 */
export function changedRows(before: LinkedStore, after: LinkedStore): [before: BitSet[], after: BitSet[]] {
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
      } else if (one.type.kind !== 'component' && keyName(keyOf(one, row)) !== keyName(keyOf(other, otherRow))) {
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
