/** Which rows a query can see before any filter. */
import type { PublicationFilter } from '../model/publication-filters.ts';
import type { BoundQuery } from '../query/bound.ts';
import { BitSet } from '../sets/bit-set.ts';
import { oneCode } from '../sets/code-set.ts';
import { type Collection, columnOf, rowsOfStatus } from '../store/collection.ts';
import { readText } from '../store/read-value.ts';
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

/** Returns the rows of a scope in a collection, dead or not. They may belong to the collection: do not change them. */
export function rowsInScope(collection: Collection, { status, locale, publication }: Scope): BitSet {
  let rows = status === null ? collection.allRows : rowsOfStatus(collection, status);
  if (locale !== null) {
    const column = columnOf(collection, 'locale');
    const value = column.dictionary.find(locale);
    const hasLocale = value < 0 ? new BitSet(collection.rowCount) : column.rowsWithCodes(oneCode(value + 1));
    rows = hasLocale.intersect(rows);
  }
  return publication === null ? rows : rows.clone().intersect(publicationRows(collection, publication));
}

/** How the rows of a scope in a segment differ from those in its collection. */
export interface Corrections {
  /** Rows of the collection that are dead, replaced, or no longer selected by the publication filter. */
  readonly removed: readonly number[];
  /** Rows of the collection that the publication filter selects since another version of their document changed. */
  readonly added: readonly number[];
  /** The delta rows in the scope. */
  readonly changed: readonly number[];
}

/**
 * Returns how changes affect the rows of a scope; `rows` are those of the collection. The rows of a publication filter
 * depend on all versions of their document, so the change of one version may affect another. Takes a time that grows
 * with the changes.
 */
export function correctionsFor(segment: Segment, scope: Scope, rows: BitSet): Corrections {
  const { collection, delta, dead } = segment;
  const affected = scope.publication === null ? null : affectedRows(segment, scope.publication);
  const hasStatus = scope.status === null ? segment.allRows : rowsOfStatus(segment, scope.status);
  const isVisible = (row: number) =>
    hasStatus.has(row) &&
    (scope.locale === null || readText(segment, row, 'locale') === scope.locale) &&
    (affected === null || affected.selected.has(row));
  const hidden = delta ? delta.replaced.toArray() : dead;
  const others = (affected?.rows ?? []).filter(
    (row) => row < collection.rowCount && segment.isLive(row) && !delta?.replaced.has(row),
  );
  return {
    removed: [...hidden, ...others.filter((row) => !isVisible(row))].filter((row) => rows.has(row)),
    added: others.filter((row) => !rows.has(row) && isVisible(row)),
    changed: delta ? Array.from(delta.rows.keys()).filter((row) => isVisible(delta.rows[row])) : [],
  };
}
