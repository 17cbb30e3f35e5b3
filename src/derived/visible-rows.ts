import { BitSet } from '../sets/bit-set.ts';
import { columnOf, rowsOfStatus } from '../store/collection.ts';
import type { Segment } from '../store/segment.ts';
import { PrefixCounts } from './prefix-counts.ts';
import type { DerivedRegistry } from './registry.ts';
import type { Scope } from './scope.ts';
import { ScopeRows } from './scope-rows.ts';
import { VisibleRowSet } from './visible-row-set.ts';

/** The rows of one segment and locale, by status and publication filter. */
type ByName = Map<string, ScopeRows>;

/** The visible rows of each scope. Built on first use, in a time linear in the rows of the segment. */
export class VisibleRows {
  readonly #registry: DerivedRegistry;
  /** By segment and locale. One text for the whole key would be built for each request. */
  readonly #bySegment = new Map<number, Map<string | null, ByName>>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /** Returns the visible rows of a segment. */
  rowsFor(segment: Segment, scope: Scope): VisibleRowSet {
    const { collection } = segment;
    const { status, publication } = scope;
    const locale = collection.type.localized ? scope.locale : null;
    const name = publication === null ? String(status) : `${status} ${publication}`;
    const known = this.#bySegment.get(segment.id)?.get(locale)?.get(name);
    if (known) {
      this.#registry.use(known);
      return known.visible(segment);
    }
    const code = locale === null ? null : columnOf(collection, 'locale').dictionary.find(locale) + 1;
    // callers can name any number of locales that no entry has: their empty sets are not registered
    if (code === 0) return emptySet(collection.rowCount);
    const onEvict = () => this.#forget(segment.id, locale, name);
    const added = new ScopeRows(segment, { status, locale: code, publication }, this.#registry, onEvict);
    this.#keep(segment.id, locale, name, added);
    this.#registry.add(added);
    return added.visible(segment);
  }

  /**
   * Returns the rows of a status (null: every status), or null for all rows. A look-up is needed only if rows are dead:
   * this runs for each relation that a filter leads through.
   */
  rowsOfStatus(segment: Segment, status: Scope['status']): BitSet | null {
    const { collection, live } = segment;
    if (status === null || !collection.published) return live;
    return live
      ? this.rowsFor(segment, { status, locale: null, publication: null }).rows
      : rowsOfStatus(collection, status);
  }

  #keep(id: number, locale: string | null, name: string, rows: ScopeRows): void {
    let byLocale = this.#bySegment.get(id);
    if (!byLocale) this.#bySegment.set(id, (byLocale = new Map()));
    let byName = byLocale.get(locale);
    if (!byName) byLocale.set(locale, (byName = new Map()));
    byName.set(name, rows);
  }

  #forget(id: number, locale: string | null, name: string): void {
    const byLocale = this.#bySegment.get(id)!;
    const byName = byLocale.get(locale)!;
    byName.delete(name);
    if (byName.size === 0) byLocale.delete(locale);
    if (byLocale.size === 0) this.#bySegment.delete(id);
  }
}

function emptySet(rowCount: number): VisibleRowSet {
  const rows = new BitSet(rowCount);
  return new VisibleRowSet(rows, 0, new PrefixCounts(rows, () => {}));
}
