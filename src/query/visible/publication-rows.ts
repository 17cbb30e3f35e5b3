/** The rows that `publicationFilter` selects, by how the draft and the published version of their document compare. */
import { BitSet } from '../../core/sets/bit-set.ts';
import { type Collection, columnOf } from '../../store/collection.ts';
import { readNumber, readText } from '../../store/read-value.ts';
import { changedRows, documentIn, rowsOfDocument } from '../../store/rows-of-document.ts';
import type { Segment } from '../../store/segment.ts';
import type { PublicationFilter } from '../bound.ts';

/**
 * The draft and the published version of one document, in one locale or in all. Update dates are codes or times. Both
 * ascend with the dates, and null comes first.
 */
class DocumentVersions {
  hasDraft = false;
  hasPublished = false;
  draftUpdated = 0;
  publishedUpdated = 0;

  begin(): void {
    this.hasDraft = false;
    this.hasPublished = false;
  }

  add(isPublished: boolean, updated: number): void {
    if (isPublished) {
      this.hasPublished = true;
      this.publishedUpdated = updated;
    } else {
      this.hasDraft = true;
      this.draftUpdated = updated;
    }
  }
}

/** Returns the rows that a filter selects, of every status, dead or not. Returns all rows of a type without drafts. */
export function publicationRows(collection: Collection, filter: PublicationFilter): BitSet {
  const { published, allRows, rowCount } = collection;
  if (!published) return allRows;
  const rows = new BitSet(rowCount);
  const select = documentSelector(collection, published, filter);
  const { offsets } = columnOf(collection, 'documentId').index;
  for (let document = 0; document + 1 < offsets.length; document++) select(document, rows);
  return rows;
}

/** The rows of changed documents, and those among them that a filter selects. */
export interface AffectedRows {
  /** Dead rows among them. */
  readonly rows: readonly number[];
  readonly selected: BitSet;
}

/** Returns the rows whose selection may differ from `publicationRows`, because a version of their document changed. */
export function affectedRows(segment: Segment, filter: PublicationFilter): AffectedRows {
  const selected = new BitSet(segment.rowCount);
  const rows: number[] = [];
  const documents = new Set<string>();
  for (const row of changedRows(segment)) {
    const earlier = documentIn(segment.collection, row);
    const document = readText(segment, row, 'documentId');
    for (const name of [earlier, document]) if (name !== null) documents.add(name);
    if (document === null) selectAmong(segment, filter, [row], selected);
    rows.push(row);
  }
  for (const document of documents) {
    const versions = rowsOfDocument(segment, document);
    selectAmong(segment, filter, versions, selected);
    rows.push(...versions);
  }
  return { rows: [...new Set(rows)], selected };
}

/** Adds the live rows of one document that a filter selects. */
function selectAmong(segment: Segment, filter: PublicationFilter, rows: readonly number[], selected: BitSet): void {
  const live = rows.filter((row) => segment.isLive(row));
  const { published } = segment;
  if (!published) {
    for (const row of live) selected.add(row);
    return;
  }
  const byLocale = new Map<string | null, DocumentVersions>();
  const localeOf = (row: number) => (filter.endsWith('-document') ? null : readText(segment, row, 'locale'));
  for (const row of live) {
    const locale = localeOf(row);
    const versions = byLocale.get(locale) ?? new DocumentVersions();
    byLocale.set(locale, versions);
    versions.add(published.has(row), readNumber(segment, row, 'updatedAt') ?? Number.NEGATIVE_INFINITY);
  }
  for (const row of live) {
    if (isSelected(filter, byLocale.get(localeOf(row))!, published.has(row))) selected.add(row);
  }
}

/**
 * Returns a function that adds the selected rows of a document to a set. Documents are codes. Each row with code 0 has
 * no documentId, and is a document of its own.
 *
 * Looking at each document once takes 20 ms for 100,000 entries. Looking at the document of each row took 85.
 */
function documentSelector(
  collection: Collection,
  published: BitSet,
  filter: PublicationFilter,
): (document: number, selected: BitSet) => void {
  const { offsets, rows } = columnOf(collection, 'documentId').index;
  const locales = filter.endsWith('-document') ? undefined : collection.columns.get('locale');
  const updated = collection.columns.get('updatedAt')?.codes;
  // one record per locale, reset for each document
  const byLocale = Array.from({ length: (locales?.dictionary.size ?? 0) + 1 }, () => new DocumentVersions());
  const versionsOf = (row: number) => byLocale[locales?.codes[row] ?? 0];
  /** The rows of one document are adjacent in the value index. */
  const selectBetween = (start: number, end: number, selected: BitSet) => {
    for (let i = start; i < end; i++) versionsOf(rows[i]).begin();
    for (let i = start; i < end; i++) {
      const row = rows[i];
      versionsOf(row).add(published.has(row), updated?.[row] ?? 0);
    }
    for (let i = start; i < end; i++) {
      const row = rows[i];
      if (isSelected(filter, versionsOf(row), published.has(row))) selected.add(row);
    }
  };
  return (document, selected) => {
    const start = offsets[document];
    const end = offsets[document + 1];
    if (document > 0) selectBetween(start, end, selected);
    else for (let i = start; i < end; i++) selectBetween(i, i + 1, selected);
  };
}

function isSelected(filter: PublicationFilter, versions: DocumentVersions, isPublished: boolean): boolean {
  const { hasDraft, hasPublished, draftUpdated, publishedUpdated } = versions;
  const hasBoth = hasDraft && hasPublished;
  switch (filter) {
    case 'never-published':
    case 'never-published-document':
      return !hasPublished;
    case 'has-published-version':
    case 'has-published-version-document':
      // a published row without a draft does not count
      return hasBoth;
    case 'modified':
      return hasBoth && draftUpdated > publishedUpdated;
    case 'unmodified':
      return hasBoth && draftUpdated <= publishedUpdated;
    case 'published-without-draft':
      return isPublished && !hasDraft;
    case 'published-with-draft':
      return isPublished && hasBoth;
  }
}
