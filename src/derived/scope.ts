/** Which rows a query can see before any filter. */
import type { PublicationFilter } from '../model/publication-filters.ts';
import type { BoundQuery } from '../query/bound.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { oneCode } from '../sets/code-set.ts';
import { type Collection, columnOf, rowsOfStatus } from '../store/collection.ts';
import type { Segment } from '../store/segment.ts';
import { affectedRows, publicationRows } from './publication-rows.ts';

/** Null: every status, every locale, every version. */
export interface Scope {
  readonly status: 'published' | 'draft' | null;
  readonly locale: string | null;
  readonly publication: PublicationFilter | null;
}

/** Returns the scope of the rows that a query lists. */
export function scopeOf({ status, locale, publication }: BoundQuery): Scope {
  return { status, locale, publication };
}

/** A scope of one collection: the locale is its code in the column `locale`. */
export interface CollectionScope extends Omit<Scope, 'locale'> {
  readonly locale: number | null;
}

/** Returns the rows of a scope, dead or not. They may belong to the collection: do not change them. */
export function rowsInScope(collection: Collection, { status, locale, publication }: CollectionScope): BitSet {
  let rows = status === null ? collection.allRows : rowsOfStatus(collection, status);
  if (locale !== null) {
    rows = rows.clone().intersect(columnOf(collection, 'locale').rowsWithCodes(oneCode(locale)));
  }
  return publication === null ? rows : rows.clone().intersect(publicationRows(collection, publication));
}

/** How rows differ from those of `rowsInScope` because some are dead. */
export interface Corrections {
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/**
 * Returns how dead rows change the rows of a scope. The rows of a publication filter depend on all versions of their
 * document, so the death of one version may add another. Takes a time that grows with the dead rows, and with all rows
 * without a documentId if one of them is dead; a publication filter takes a bit set of all rows besides.
 */
export function correctionsFor(segment: Segment, scope: CollectionScope, rows: BitSet): Corrections {
  const { dead, collection } = segment;
  const { status, locale, publication } = scope;
  if (publication === null) return { removed: Array.from(dead).filter((row) => rows.has(row)), added: [] };
  const affected = affectedRows(segment, publication);
  const hasStatus = status === null ? collection.allRows : rowsOfStatus(collection, status);
  const locales = collection.columns.get('locale');
  const isVisible = (row: number) =>
    affected.selected.has(row) && hasStatus.has(row) && (locale === null || locales!.codes[row] === locale);
  return {
    removed: affected.rows.filter((row) => rows.has(row) && !isVisible(row)),
    added: affected.rows.filter((row) => !rows.has(row) && isVisible(row)),
  };
}
