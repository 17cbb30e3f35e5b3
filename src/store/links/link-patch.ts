import type { BitSet } from '../../core/sets/bit-set.ts';

/** The links of one row, as in an Adjacency. `positions` are ascending. */
export interface PatchedLinks {
  readonly targets: Uint32Array;
  readonly positions: Float64Array | null;
  /** Of polymorphic links: the number of each target's collection. */
  readonly collections?: Uint16Array;
  readonly inversePositions?: Float64Array | null;
  readonly shownBy?: Uint16Array | null;
}

/**
 * The rows whose links differ from those in an Adjacency, each with its whole list. All rows that the adjacency does not
 * know are among them.
 */
export interface LinkPatch {
  /** The patched rows. */
  readonly rows: BitSet;
  /** By patched row. A row without an item has no links. No list is empty. */
  readonly lists: ReadonlyMap<number, PatchedLinks>;
  /** The number of links in all lists. */
  readonly linkCount: number;
  /** The number of patched rows without links. */
  readonly unlinkedCount: number;
}

/** The list of a row without links. */
export const noLinks: PatchedLinks = {
  targets: new Uint32Array(0),
  positions: null,
  collections: new Uint16Array(0),
  inversePositions: null,
  shownBy: null,
};

/** Returns the links of a patched row; null for a row whose links are those of the adjacency. */
export function patchedLinks({ rows, lists }: LinkPatch, row: number): PatchedLinks | null {
  return rows.has(row) ? (lists.get(row) ?? noLinks) : null;
}
