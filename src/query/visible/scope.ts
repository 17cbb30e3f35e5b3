/** Which rows a query can see before any filter. */
import { BitSet, symmetricDifference } from '../../core/sets/bit-set.ts';
import { oneCode } from '../../core/sets/code-set.ts';
import { type Collection, columnOf, rowsOfStatus } from '../../store/collection.ts';
import type { Delta } from '../../store/overlay/delta.ts';
import { readText } from '../../store/read-value.ts';
import type { Segment } from '../../store/segment.ts';
import type { BoundQuery, PublicationFilter } from '../bound.ts';
import { affectedRows, publicationRows } from './publication-rows.ts';

/** Null: every status, every locale, every version. */
export interface Scope {
  readonly status: 'published' | 'draft' | null;
  readonly locale: string | null;
  readonly publication: PublicationFilter | null;
  /** In place of a locale: of each document, the version in the first of these locales that it has. */
  readonly locales?: readonly string[];
}

/** Returns the scope of the rows that a query lists. */
export function scopeOf({ status, locale, publication, locales }: BoundQuery): Scope {
  return { status, locale, publication, locales };
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

/**
 * Returns the rows that changes have hidden or shown again in a store that shows drafts: those of documents whose draft
 * is new or deleted. New, dead and replaced rows may be among them.
 */
function movedRows({ collection, hidden, allRows }: Segment): number[] {
  return hidden ? symmetricDifference(collection.allRows, allRows) : [];
}

/** How changes affect the rows of a scope. */
export interface Corrections {
  /** Rows of the collection that are dead, replaced, hidden, or no longer selected by the publication filter. */
  readonly removed: readonly number[];
  /** Rows of the collection that are shown or selected since another version of their document changed. */
  readonly added: readonly number[];
  /** The delta rows in the scope. */
  readonly changed: readonly number[];
}

/**
 * Returns how changes affect the rows of a scope. `rows` are its rows in the collection. A publication filter compares
 * the versions of a document, so the change of one version may select another. Takes a time that grows with the
 * changes.
 */
export function correctionsFor(segment: Segment, scope: Scope, rows: BitSet): Corrections {
  const { collection, delta, dead } = segment;
  const affected = scope.publication === null ? null : affectedRows(segment, scope.publication);
  const hasStatus = scope.status === null ? segment.allRows : rowsOfStatus(segment, scope.status);
  const isOfStatus = (row: number) => hasStatus.has(row);
  const isSelected = (row: number) => affected === null || affected.selected.has(row);
  const isVisible = (row: number) =>
    isOfStatus(row) && isSelected(row) && (scope.locale === null || readText(segment, row, 'locale') === scope.locale);
  const replaced = delta ? delta.replaced.toArray() : dead;
  const exists = (row: number) => segment.isLive(row) || segment.hidden?.has(row);
  const others = [...new Set([...(affected?.rows ?? []), ...movedRows(segment)])].filter(
    (row) => row < collection.rowCount && exists(row) && !delta?.replaced.has(row),
  );
  // plain loops: every change runs them over all earlier changes
  const removed = others.filter((row) => rows.has(row) && !isVisible(row));
  for (let i = 0; i < replaced.length; i++) if (rows.has(replaced[i])) removed.push(replaced[i]);
  return {
    removed,
    added: others.filter((row) => !rows.has(row) && isVisible(row)),
    changed: delta ? changedIn(delta, scope.locale, (row) => isOfStatus(row) && isSelected(row)) : [],
  };
}

/** Returns the delta rows with a locale whose rows pass a test. */
function changedIn({ rows, columns }: Delta, locale: string | null, test: (row: number) => boolean): number[] {
  const found: number[] = [];
  const column = locale === null ? null : columns.get('locale')!;
  // 0 if no row has the locale; a row without a locale has the code 0, too
  const code = column ? column.dictionary.find(locale!) + 1 : 0;
  if (column && code === 0) return found;
  for (let row = 0; row < rows.length; row++) {
    if (column && column.codes[row] !== code) continue;
    if (test(rows[row])) found.push(row);
  }
  return found;
}
