/** Which rows `publicationFilter` leaves: those whose draft and published versions stand in a certain relation. */
import { BitSet } from '../sets/bit-set.ts';
import type { Collection } from './collection.ts';

/** Draft and published rows are paired by document and locale; those that end in `-document` look at all locales. */
export const publicationFilters = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
] as const;

export type PublicationFilter = (typeof publicationFilters)[number];

/** What is known of the versions of one document, in one locale or in all. Codes order as the dates do; 0 is null. */
interface Versions {
  hasDraft: boolean;
  hasPublished: boolean;
  draftUpdated: number;
  publishedUpdated: number;
}

/** The rows that a filter leaves, whatever their status. All rows of a type without drafts. */
export function publicationRows(collection: Collection, filter: PublicationFilter): BitSet {
  const { published, rowCount } = collection;
  if (!published) return collection.everyRow;
  const perDocument = filter.endsWith('-document');
  const documents = collection.columns.get('documentId')!.codes;
  const locales = perDocument ? undefined : collection.columns.get('locale')?.codes;
  const updated = collection.columns.get('updatedAt')?.codes;
  const keyOf = (row: number) => `${documents[row]} ${locales?.[row]}`;

  const versions = new Map<string, Versions>();
  for (let row = 0; row < rowCount; row++) {
    const known = versions.get(keyOf(row)) ?? {
      hasDraft: false,
      hasPublished: false,
      draftUpdated: 0,
      publishedUpdated: 0,
    };
    versions.set(keyOf(row), known);
    if (published.has(row)) {
      known.hasPublished = true;
      known.publishedUpdated = updated?.[row] ?? 0;
    } else {
      known.hasDraft = true;
      known.draftUpdated = updated?.[row] ?? 0;
    }
  }
  const rows = new BitSet(rowCount);
  for (let row = 0; row < rowCount; row++) {
    if (isLeft(filter, versions.get(keyOf(row))!, published.has(row))) rows.add(row);
  }
  return rows;
}

function isLeft(filter: PublicationFilter, versions: Versions, isPublished: boolean): boolean {
  const { hasDraft, hasPublished, draftUpdated, publishedUpdated } = versions;
  const hasBoth = hasDraft && hasPublished;
  switch (filter) {
    case 'never-published':
    case 'never-published-document':
      return !hasPublished;
    case 'has-published-version':
    case 'has-published-version-document':
      return hasPublished;
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
