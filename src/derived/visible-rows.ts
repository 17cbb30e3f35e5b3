import { LRUCache } from 'lru-cache';
import type { PublicationFilter } from '../model/publication-filters.ts';
import { BitSet } from '../sets/bit-set.ts';
import { oneCode } from '../sets/code-set.ts';
import { type Collection, rowsOfStatus } from '../store/collection.ts';
import { publicationRows } from './publication-rows.ts';
import { VisibleRowSet } from './visible-row-set.ts';

/** Which rows of a collection a request sees before any filter. Null: every status; all locales; whatever versions. */
export interface Scope {
  readonly status: 'published' | 'draft' | null;
  readonly locale: string | null;
  readonly publication: PublicationFilter | null;
}

/** Bytes of a set besides its rows and counts: its object, its places in the maps and in the list of recent use. */
const setBytes = 1024;

interface Ready {
  readonly seen: VisibleRowSet;
  /** Where the set stands among others. */
  readonly siblings: Map<string, Ready>;
  readonly name: string;
}

/**
 * The row sets of each status, locale and publication filter, with their counts. Made on first use, in a time linear in
 * the rows of the collection. Kept up to a bound in bytes; the least recently used go first.
 */
export class VisibleRows {
  /** By number of the collection, locale, and what else decides: one text of all would be made at each request. */
  readonly #sets: Map<string | null, Map<string, Ready>>[] = [];
  /** With the bytes of each set. */
  readonly #recent: LRUCache<Ready, number>;
  #hits = 0;
  #misses = 0;

  constructor(mostBytes: number) {
    this.#recent = new LRUCache({
      maxSize: mostBytes,
      sizeCalculation: (bytes) => bytes + setBytes,
      dispose: (_, { siblings, name }, reason) => void (reason === 'set' || siblings.delete(name)),
    });
  }

  /** The set is shared: it must not be changed. */
  rowsFor(collection: Collection, visibility: Scope): VisibleRowSet {
    const { status, publication } = visibility;
    const locale = collection.type.localized ? visibility.locale : null;
    const byLocale = (this.#sets[collection.number] ??= new Map());
    const name = publication === null ? String(status) : `${status} ${publication}`;
    const known = byLocale.get(locale)?.get(name);
    if (known) {
      this.#hits++;
      this.#recent.get(known);
      return known.seen;
    }
    let rows = status === null ? collection.allRows : rowsOfStatus(collection, status);
    if (locale !== null) {
      const locales = collection.columns.get('locale')!;
      const code = locales.dictionary.upperBound(locale);
      // nothing is kept for locales that no entry has: a caller can name any number of them
      if (code === locales.dictionary.lowerBound(locale)) return new VisibleRowSet(new BitSet(collection.rowCount));
      rows = rows.clone().intersect(locales.rowsWithCodes(oneCode(code)));
    }
    if (publication !== null) rows = rows.clone().intersect(publicationRows(collection, publication));
    this.#misses++;
    return this.#keep(byLocale, locale, name, rows, locale !== null || publication !== null);
  }

  get figures(): { hits: number; misses: number; bytes: number } {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#recent.calculatedSize };
  }

  #keep(
    byLocale: Map<string | null, Map<string, Ready>>,
    locale: string | null,
    name: string,
    rows: BitSet,
    isOwn: boolean,
  ): VisibleRowSet {
    let siblings = byLocale.get(locale);
    if (!siblings) byLocale.set(locale, (siblings = new Map()));
    const seen: VisibleRowSet = new VisibleRowSet(rows, isOwn, () => {
      // a set that has been dropped meanwhile is no longer counted
      if (this.#recent.has(ready)) this.#count(ready);
    });
    const ready: Ready = { seen, siblings, name };
    siblings.set(name, ready);
    this.#count(ready);
    return seen;
  }

  /** Counts what a set takes now. One that is larger than the bound is not kept. */
  #count(ready: Ready): void {
    this.#recent.set(ready, ready.seen.bytes);
    if (!this.#recent.has(ready)) ready.siblings.delete(ready.name);
  }
}
