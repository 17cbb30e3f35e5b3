import type { BitSet } from '../sets/bit-set.ts';
import type { Segment } from '../store/segment.ts';
import { PrefixCounts } from './prefix-counts.ts';
import type { Derived, DerivedRegistry } from './registry.ts';
import { type CollectionScope, correctionsFor, rowsInScope } from './scope.ts';
import { VisibleSet } from './visible-set.ts';

/**
 * The rows of one scope in one segment. Their set and their counts include dead rows, so that they last when rows die.
 * What is visible is corrected by the dead rows.
 */
export class ScopeEntry implements Derived {
  readonly onEvict: () => void;
  readonly #registry: DerivedRegistry;
  readonly #scope: CollectionScope;
  readonly #rows: BitSet;
  readonly #count: number;
  readonly #counts: PrefixCounts;
  /** The rows without these dead rows. */
  #visible: VisibleSet;
  #dead: Uint32Array;

  constructor(segment: Segment, scope: CollectionScope, registry: DerivedRegistry, onEvict: () => void) {
    this.onEvict = onEvict;
    this.#registry = registry;
    this.#scope = scope;
    this.#rows = rowsInScope(segment.collection, scope);
    this.#count = this.#rows.count();
    this.#counts = new PrefixCounts(this.#rows, () => registry.resize(this));
    this.#dead = segment.dead;
    this.#visible = this.#without(segment);
  }

  /** Bytes of the sets of rows that do not belong to the collection, and of all counts. */
  get bytes(): number {
    const { locale, publication } = this.#scope;
    const { byteLength } = this.#rows.words;
    const isOwn = locale !== null || publication !== null;
    const isCorrected = this.#visible.rows !== this.#rows;
    return (isOwn ? byteLength : 0) + (isCorrected ? byteLength : 0) + this.#counts.bytes;
  }

  /** The rows without the dead rows of the segment, which is the one of the constructor or differs in its dead rows. */
  visible(segment: Segment): VisibleSet {
    if (segment.dead !== this.#dead) {
      this.#dead = segment.dead;
      this.#visible = this.#without(segment);
      this.#registry.resize(this);
    }
    return this.#visible;
  }

  #without(segment: Segment): VisibleSet {
    const rows = this.#rows;
    const counts = this.#counts;
    if (segment.dead.length === 0) return new VisibleSet(rows, this.#count, counts);
    const corrections = correctionsFor(segment, this.#scope, rows);
    const { removed, added } = corrections;
    const corrected = rows.clone();
    for (const row of removed) corrected.delete(row);
    for (const row of added) corrected.add(row);
    return new VisibleSet(corrected, this.#count - removed.length + added.length, counts, corrections);
  }
}
