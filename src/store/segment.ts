import type { BitSet } from '../sets/bit-set.ts';
import type { Collection } from './collection.ts';

const noRows = new Uint32Array(0);

/**
 * The rows of a collection, some of which may be dead. Dead rows are for changes of single entries: a store is never
 * changed, so an entry that is deleted or replaced keeps its old row, which is dead from then on. Columns and links
 * still hold it. The visible rows of scopes and the reachable rows of requests are without dead rows, so filters, sorts
 * and replies test no row. Code that follows columns or links without these sets asks `live`.
 *
 * No command makes dead rows yet. Tests check that replies leave them out. These values still count dead rows: the
 * entries and components of the summary (content/summary.ts), the newest update (newest-update.ts), the locales
 * (locales.ts) and the estimates of plans, which stay upper bounds.
 */
export class Segment {
  static #created = 0;

  /** Names the rows in the keys of what is derived from them. Segments that differ only in their dead rows share it. */
  readonly id: number;
  readonly collection: Collection;
  /** Ascending. */
  readonly dead: Uint32Array;
  /** The rows that are not dead; null: all of them. Shared: do not change it. */
  readonly live: BitSet | null;

  constructor(collection: Collection, dead: Uint32Array = noRows, id = ++Segment.#created) {
    this.id = id;
    this.collection = collection;
    this.dead = dead;
    this.live = dead.length === 0 ? null : collection.allRows.clone().subtract(dead);
  }

  isLive(row: number): boolean {
    return this.live === null || this.live.has(row);
  }
}
