import type { PublicationFilter } from '../model/publication-filters.ts';
import { BitSet } from '../sets/bit-set.ts';
import { oneCode } from '../sets/code-set.ts';
import { type Collection, rowsOfStatus } from '../store/collection.ts';
import { publicationRows } from './publication-rows.ts';
import type { Derived, DerivedRegistry } from './registry.ts';
import { VisibleRowSet } from './visible-row-set.ts';

/** Which rows of a collection are visible before any filter. Null: every status, every locale, every version. */
export interface Scope {
  readonly status: 'published' | 'draft' | null;
  readonly locale: string | null;
  readonly publication: PublicationFilter | null;
}

interface Entry extends Derived {
  readonly visible: VisibleRowSet;
}

/** The entries of one collection and locale, by status and publication filter. */
type Entries = Map<string, Entry>;

/** The visible rows of each scope. Built on first use, in a time linear in the rows of the collection. */
export class VisibleRows {
  readonly #registry: DerivedRegistry;
  /** By number of the collection and locale. One text for the whole key would be built for each request. */
  readonly #entries: Map<string | null, Entries>[] = [];

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /** Returns the visible rows of a collection. The set is shared: do not change it. */
  rowsFor(collection: Collection, scope: Scope): VisibleRowSet {
    const { status, publication } = scope;
    const locale = collection.type.localized ? scope.locale : null;
    const byLocale = (this.#entries[collection.number] ??= new Map());
    const name = publication === null ? String(status) : `${status} ${publication}`;
    const known = byLocale.get(locale)?.get(name);
    if (known) {
      this.#registry.use(known);
      return known.visible;
    }
    let rows = status === null ? collection.allRows : rowsOfStatus(collection, status);
    if (locale !== null) {
      const locales = collection.columns.get('locale')!;
      const code = locales.dictionary.upperBound(locale);
      // callers can name any number of locales that no entry has: their empty sets are not registered
      if (code === locales.dictionary.lowerBound(locale)) return new VisibleRowSet(new BitSet(collection.rowCount));
      rows = rows.clone().intersect(locales.rowsWithCodes(oneCode(code)));
    }
    if (publication !== null) rows = rows.clone().intersect(publicationRows(collection, publication));
    let entries = byLocale.get(locale);
    if (!entries) byLocale.set(locale, (entries = new Map()));
    return this.#register(entries, name, rows, locale !== null || publication !== null);
  }

  #register(entries: Entries, name: string, rows: BitSet, isOwn: boolean): VisibleRowSet {
    const visible: VisibleRowSet = new VisibleRowSet(rows, isOwn, () => this.#registry.resize(entry));
    const entry: Entry = {
      visible,
      get bytes() {
        return visible.bytes;
      },
      evicted: () => void entries.delete(name),
    };
    entries.set(name, entry);
    this.#registry.add(entry);
    return visible;
  }
}
