import { BitSet } from '../../core/sets/bit-set.ts';
import { rowsOfStatus } from '../../store/collection.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { PrefixCounts } from './prefix-counts.ts';
import type { Derived, DerivedRegistry } from './registry.ts';
import { correctionsFor, rowsInScope, type Scope } from './scope.ts';
import { findShownVersions, type ShownVersions } from './shown-versions.ts';
import { VisibleSet } from './visible-set.ts';

/** A scope with fallback locales. */
export type FallbackScope = Pick<Scope, 'status' | 'publication'> & { readonly locales: readonly string[] };

class ShownEntry implements Derived {
  readonly onEvict: () => void;
  segmentVersion = 0;
  /** Null after the segment was replaced. */
  versions: ShownVersions | null = null;

  constructor(onEvict: () => void) {
    this.onEvict = onEvict;
  }

  get bytes(): number {
    return this.versions?.bytes ?? 0;
  }
}

/** The visible rows of each scope. Built on first use, in a time linear in the rows of the segment. */
export class ScopeCache {
  readonly #registry: DerivedRegistry;
  /** By the id of the segment. A text of id and scope as key took 4 % of the time of a short reply. */
  readonly #known = new Map<number, ScopeEntry[]>();
  /** By segment and scope. */
  readonly #shown = new Map<string, ShownEntry>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /** Returns the visible rows of a segment. */
  rowsFor(segment: Segment, scope: Scope): VisibleSet {
    const { collection } = segment;
    const { status, publication } = scope;
    if (scope.locales && collection.type.localized)
      return this.shown(segment, { ...scope, locales: scope.locales }).visible;
    const locale = collection.type.localized ? scope.locale : null;
    const known = this.#known.get(segment.id) ?? [];
    for (const entry of known) {
      if (!entry.hasScope(status, locale, publication)) continue;
      this.#registry.use(entry);
      return entry.visible(segment);
    }
    // a caller may name any number of unknown locales, so their empty sets are not registered
    if (locale !== null && !hasLocale(segment, locale)) return emptySet(segment.rowCount);
    const onEvict = () => this.#remove(segment.id, added);
    const added = new ScopeEntry(segment, { status, locale, publication }, this.#registry, onEvict);
    this.#known.set(segment.id, [...known, added]);
    this.#registry.add(added);
    return added.visible(segment);
  }

  /** Returns the versions that are shown with fallback locales. */
  shown(segment: Segment, { status, publication, locales }: FallbackScope): ShownVersions {
    const key = `${segment.id} ${status} ${publication} ${locales.join()}`;
    const entry = this.#shown.get(key) ?? new ShownEntry(() => this.#shown.delete(key));
    if (entry.versions && entry.segmentVersion === segment.version) {
      this.#registry.use(entry);
      return entry.versions;
    }
    const ofLocales = locales.map((locale) => this.rowsFor(segment, { status, publication, locale }).rows);
    const versions = findShownVersions(segment, ofLocales, () => this.#registry.resize(entry));
    entry.segmentVersion = segment.version;
    entry.versions = versions;
    this.#shown.set(key, entry);
    this.#registry.add(entry);
    return versions;
  }

  #remove(segmentId: number, removed: ScopeEntry): void {
    const left = this.#known.get(segmentId)!.filter((entry) => entry !== removed);
    if (left.length > 0) this.#known.set(segmentId, left);
    else this.#known.delete(segmentId);
  }

  /** Releases the visible rows of segments that the store no longer has. */
  release({ segments }: Pick<Store, 'segments'>): void {
    for (const entry of [...this.#known.values()].flat()) entry.release(segments);
    for (const entry of this.#shown.values()) {
      if (segments.some(({ version }) => version === entry.segmentVersion)) continue;
      entry.versions = null;
      this.#registry.resize(entry);
    }
  }

  /**
   * Returns the rows of a status (null: every status), or null for all rows. Filters call this for each relation, so it
   * looks a scope up only if rows are dead.
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

/**
 * The rows of one scope in the collection of a segment. The set and its counts include dead and replaced rows, so that
 * they stay valid when entries change. Corrections for the changes make the visible rows.
 */
class ScopeEntry implements Derived {
  readonly onEvict: () => void;
  readonly #registry: DerivedRegistry;
  readonly #scope: Scope;
  readonly #rows: BitSet;
  readonly #count: number;
  readonly #counts: PrefixCounts;
  readonly #number: number;
  /** The visible rows of the segment that was asked for last. */
  #last: { readonly segment: Segment; readonly visible: VisibleSet } | null;

  constructor(segment: Segment, scope: Scope, registry: DerivedRegistry, onEvict: () => void) {
    this.onEvict = onEvict;
    this.#registry = registry;
    this.#scope = scope;
    this.#rows = rowsInScope(segment.collection, scope);
    this.#count = this.#rows.count();
    this.#counts = new PrefixCounts(this.#rows, () => registry.resize(this));
    this.#number = segment.collection.number;
    this.#last = { segment, visible: this.#correct(segment) };
  }

  hasScope(status: Scope['status'], locale: string | null, publication: Scope['publication']): boolean {
    const { status: own, locale: ownLocale, publication: ownPublication } = this.#scope;
    return status === own && locale === ownLocale && publication === ownPublication;
  }

  /** Bytes of all counts, and of the sets of rows that the collection does not own. */
  get bytes(): number {
    const { locale, publication } = this.#scope;
    const { byteLength } = this.#rows.words;
    const isOwn = locale !== null || publication !== null;
    const isCorrected = this.#last !== null && this.#last.visible.rows !== this.#rows;
    return (isOwn ? byteLength : 0) + (isCorrected ? byteLength : 0) + this.#counts.bytes;
  }

  /** Returns the visible rows of a segment over the same collection. */
  visible(segment: Segment): VisibleSet {
    if (segment === this.#last?.segment) return this.#last.visible;
    const visible = this.#correct(segment);
    this.#last = { segment, visible };
    this.#registry.resize(this);
    return visible;
  }

  /** Releases the last visible rows, unless their segment is one of these. */
  release(segments: readonly Segment[]): void {
    if (!this.#last || segments[this.#number] === this.#last.segment) return;
    this.#last = null;
    this.#registry.resize(this);
  }

  #correct(segment: Segment): VisibleSet {
    const { dead, delta, rowCount } = segment;
    const stored = this.#rows;
    const counts = this.#counts;
    if (dead.length === 0 && !delta) return new VisibleSet(stored, this.#count, counts);
    const corrections = correctionsFor(segment, this.#scope, stored);
    const { removed, added, changed } = corrections;
    const rows = new BitSet(rowCount);
    rows.words.set(stored.words);
    for (const row of removed) rows.delete(row);
    for (const row of added) rows.add(row);
    for (const row of changed) rows.add(delta!.rows[row]);
    const count = this.#count - removed.length + added.length + changed.length;
    return new VisibleSet(rows, count, counts, corrections);
  }
}
