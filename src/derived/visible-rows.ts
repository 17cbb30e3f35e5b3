import type { PublicationFilter } from '../model/publication-filters.ts';
import { BitSet } from '../sets/bit-set.ts';
import { type Collection, rowsOfStatus } from '../store/collection.ts';
import { publicationRows } from './publication-rows.ts';

/** Which rows of a collection a request sees before any filter. Null: every status; all locales; whatever versions. */
export interface Scope {
  readonly status: 'published' | 'draft' | null;
  readonly locale: string | null;
  readonly publication: PublicationFilter | null;
}

export interface CountedRowSet {
  readonly rows: BitSet;
  readonly count: number;
}

/** The row sets of each status, locale and publication filter, with their sizes: made on first use, then kept ready. */
export class VisibleRows {
  /** By number of the collection, locale, and what else decides: one text of all would be made at each request. */
  readonly #sets: Map<string | null, Map<string, CountedRowSet>>[] = [];

  /** The set is shared: it must not be changed. */
  rowsFor(collection: Collection, visibility: Scope): CountedRowSet {
    const { status, publication } = visibility;
    const locale = collection.type.localized ? visibility.locale : null;
    const byLocale = (this.#sets[collection.number] ??= new Map());
    const versions = publication === null ? String(status) : `${status} ${publication}`;
    const known = byLocale.get(locale)?.get(versions);
    if (known) return known;
    let rows = status === null ? collection.allRows : rowsOfStatus(collection, status);
    if (locale !== null) {
      const locales = collection.columns.get('locale')!;
      const code = locales.dictionary.upperBound(locale);
      // nothing is kept for locales that no entry has: a caller can name any number of them
      if (code === locales.dictionary.lowerBound(locale)) return { rows: new BitSet(collection.rowCount), count: 0 };
      rows = rows.clone().intersect(locales.rowsWithCodes([{ low: code, high: code + 1 }]));
    }
    if (publication !== null) rows = rows.clone().intersect(publicationRows(collection, publication));
    const ready = { rows, count: rows.count() };
    byLocale.set(locale, (byLocale.get(locale) ?? new Map()).set(versions, ready));
    return ready;
  }
}
