import { BitSet } from '../../core/sets/bit-set.ts';
import { rowsOfStatus } from '../../store/collection.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { PrefixCounts } from './prefix-counts.ts';
import type { DerivedRegistry } from './registry.ts';
import type { Scope } from './scope.ts';
import { ScopeEntry } from './scope-entry.ts';
import { VisibleSet } from './visible-set.ts';

/** The visible rows of each scope. Built on first use, in a time linear in the rows of the segment. */
export class ScopeCache {
  readonly #registry: DerivedRegistry;
  readonly #known = new Map<string, ScopeEntry>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /** Returns the visible rows of a segment. */
  rowsFor(segment: Segment, scope: Scope): VisibleSet {
    const { collection } = segment;
    const { status, publication } = scope;
    const locale = collection.type.localized ? scope.locale : null;
    const key = `${segment.id} ${status} ${publication}${locale === null ? '' : ` ${locale}`}`;
    const known = this.#known.get(key);
    if (known) {
      this.#registry.use(known);
      return known.visible(segment);
    }
    // callers can name any number of locales that no entry has: their empty sets are not registered
    if (locale !== null && !hasLocale(segment, locale)) return emptySet(segment.rowCount);
    const onEvict = () => this.#known.delete(key);
    const added = new ScopeEntry(segment, { status, locale, publication }, this.#registry, onEvict);
    this.#known.set(key, added);
    this.#registry.add(added);
    return added.visible(segment);
  }

  /** Gives up what holds earlier segments of a store that changed. */
  release({ segments }: Pick<Store, 'segments'>): void {
    for (const entry of this.#known.values()) entry.release(segments);
  }

  /**
   * Returns the rows of a status (null: every status), or null for all rows. A look-up is needed only if rows are dead:
   * this runs for each relation that a filter leads through.
   */
  rowsOfStatus(segment: Segment, status: Scope['status']): BitSet | null {
    const { published, live } = segment;
    if (status === null || !published) return live;
    return live
      ? this.rowsFor(segment, { status, locale: null, publication: null }).rows
      : rowsOfStatus(segment, status);
  }
}

/** Returns whether an entry has a locale, or had it before it changed. */
function hasLocale({ collection, delta }: Segment, locale: string): boolean {
  const columns = [collection.columns.get('locale'), delta?.columns.get('locale')];
  return columns.some((column) => column && column.dictionary.find(locale) >= 0);
}

function emptySet(rowCount: number): VisibleSet {
  const rows = new BitSet(rowCount);
  return new VisibleSet(rows, 0, new PrefixCounts(rows, () => {}));
}
