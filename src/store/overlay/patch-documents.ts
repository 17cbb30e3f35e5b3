/** The links that follow from documentIds: localizations, and the versions of each document. */
import type { Adjacency } from '../links/adjacency.ts';
import { readText } from '../read-value.ts';
import { rowComparison } from '../row-order.ts';
import { rowsOfDocument } from '../rows-of-document.ts';
import type { Segment } from '../segment.ts';
import type { LinkEdit } from './link-edit.ts';
import { derivedList } from './patched-lists.ts';

/** The documents of a collection whose rows differ after a batch. */
export interface ChangedDocuments {
  readonly documentIds: ReadonlySet<string>;
  /** Live rows without a documentId, each a document of its own. */
  readonly singleRows: readonly number[];
  readonly deadRows: Iterable<number>;
}

/**
 * Returns the documents that have other rows than before, or rows of another status. `upserted` are the rows that a
 * batch gives, `dead` those that died in it.
 */
export function changedDocuments(
  before: Segment,
  segment: Segment,
  upserted: Iterable<number>,
  dead: ReadonlySet<number>,
): ChangedDocuments {
  const documentIds = new Set<string>();
  const singleRows: number[] = [];
  const add = (documentId: string | null) => documentId !== null && documentIds.add(documentId);
  for (const row of upserted) {
    const documentId = readText(segment, row, 'documentId');
    const isNew = row >= before.rowCount;
    const earlier = isNew ? null : readText(before, row, 'documentId');
    const hasSameStatus = before.published?.has(row) === segment.published?.has(row);
    if (!isNew && earlier === documentId && hasSameStatus) continue;
    add(earlier);
    add(documentId);
    if (documentId === null) singleRows.push(row);
  }
  for (const row of dead) add(readText(before, row, 'documentId'));
  return { documentIds, singleRows, deadRows: dead };
}

/** As `localizationLinks` in document-links.ts makes them. */
export function patchLocalizations(
  edit: LinkEdit<Adjacency>,
  segment: Segment,
  { documentIds, singleRows, deadRows }: ChangedDocuments,
): void {
  const { published } = segment;
  const none = derivedList([]);
  for (const row of deadRows) edit.set(row, none);
  for (const row of singleRows) edit.set(row, none);
  const compare = loadComparison(segment);
  for (const documentId of documentIds) {
    const rows = rowsOfDocument(segment, documentId).sort(compare);
    for (const row of rows) {
      const isOther = (other: number) => other !== row && published?.has(other) === published?.has(row);
      edit.set(row, derivedList(rows.filter(isOther)));
    }
  }
}

/** As `versionLinks` in document-links.ts makes them. */
export function patchVersions(
  edit: LinkEdit<Adjacency>,
  segment: Segment,
  { documentIds, singleRows, deadRows }: ChangedDocuments,
): void {
  for (const row of deadRows) edit.set(row, derivedList([]));
  for (const row of singleRows) edit.set(row, derivedList([row]));
  const compare = rowComparison(segment);
  for (const documentId of documentIds) {
    const list = derivedList(rowsOfDocument(segment, documentId).sort(compare));
    for (const row of list.targets) edit.set(row, list);
  }
}

/** By the load order of a collection: the ordinal of each row. Takes 4 bytes a row, from the first change on. */
const ordinals = new WeakMap<Uint32Array, Uint32Array>();

/** Rows are in the order in which they were loaded, new ones follow. Without a load order, all are in row order. */
function loadComparison(segment: Segment): (row: number, other: number) => number {
  const { loadOrder, rowCount } = segment.collection;
  if (!loadOrder) return rowComparison(segment);
  let ordinalOf = ordinals.get(loadOrder);
  if (!ordinalOf) {
    ordinalOf = new Uint32Array(rowCount);
    for (let i = 0; i < rowCount; i++) ordinalOf[loadOrder[i]] = i;
    ordinals.set(loadOrder, ordinalOf);
  }
  const known = ordinalOf;
  const ordinal = (row: number) => (row < rowCount ? known[row] : row);
  return (row, other) => ordinal(row) - ordinal(other);
}
