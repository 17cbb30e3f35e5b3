/** The rows that `publicationFilter` selects, by how the draft and the published version of their document compare. */
import type { PublicationFilter } from '../model/publication-filters.ts';
import { BitSet } from '../sets/bit-set.ts';
import type { Collection } from '../store/collection.ts';

/** The versions of one document, in one locale or in all. Dates are codes, which have the order of the dates; 0 is null. */
class Versions {
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

/** Returns the rows that a filter selects, of every status. Returns all rows of a type without drafts. */
export function publicationRows(collection: Collection, filter: PublicationFilter): BitSet {
  const { published, rowCount, columns } = collection;
  if (!published) return collection.allRows;
  const documents = columns.get('documentId')!;
  const { offsets, rows: byDocument } = documents.index;
  const locales = filter.endsWith('-document') ? undefined : columns.get('locale');
  const updated = columns.get('updatedAt')?.codes;
  // one record per locale, reset for each document
  const byLocale = Array.from({ length: (locales?.dictionary.size ?? 0) + 1 }, () => new Versions());
  const rows = new BitSet(rowCount);
  for (let document = 0; document <= documents.dictionary.size; document++) {
    // the rows of one document are adjacent in the value index
    const end = offsets[document + 1];
    for (let i = offsets[document]; i < end; i++) byLocale[locales?.codes[byDocument[i]] ?? 0].begin();
    for (let i = offsets[document]; i < end; i++) {
      const row = byDocument[i];
      byLocale[locales?.codes[row] ?? 0].add(published.has(row), updated?.[row] ?? 0);
    }
    for (let i = offsets[document]; i < end; i++) {
      const row = byDocument[i];
      if (isSelected(filter, byLocale[locales?.codes[row] ?? 0], published.has(row))) rows.add(row);
    }
  }
  return rows;
}

function isSelected(filter: PublicationFilter, versions: Versions, isPublished: boolean): boolean {
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
