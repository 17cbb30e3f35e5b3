import { BitSet } from '../../core/sets/bit-set.ts';
import type { Segment } from '../../store/segment.ts';
import { PrefixCounts } from './prefix-counts.ts';
import type { Derived, DerivedRegistry } from './registry.ts';
import { correctionsFor, rowsInScope, type Scope } from './scope.ts';
import { VisibleSet } from './visible-set.ts';

/**
 * The rows of one scope in the collection of a segment. Their set and their counts include dead and replaced rows, so
 * that they last when entries change. What is visible is corrected by the changes.
 */
export class ScopeEntry implements Derived {
  readonly onEvict: () => void;
  readonly #registry: DerivedRegistry;
  readonly #scope: Scope;
  readonly #rows: BitSet;
  readonly #count: number;
  readonly #counts: PrefixCounts;
  readonly #number: number;
  /** The rows that are visible in a segment, of its last use. */
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

  /** Bytes of the sets of rows that do not belong to the collection, and of all counts. */
  get bytes(): number {
    const { locale, publication } = this.#scope;
    const { byteLength } = this.#rows.words;
    const isOwn = locale !== null || publication !== null;
    const isCorrected = this.#last !== null && this.#last.visible.rows !== this.#rows;
    return (isOwn ? byteLength : 0) + (isCorrected ? byteLength : 0) + this.#counts.bytes;
  }

  /** The visible rows of the segment of the constructor, or of one that differs from it in changes. */
  visible(segment: Segment): VisibleSet {
    if (segment === this.#last?.segment) return this.#last.visible;
    const visible = this.#correct(segment);
    this.#last = { segment, visible };
    this.#registry.resize(this);
    return visible;
  }

  /** Gives up the rows of its last use, unless they are those of one of these segments. */
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
