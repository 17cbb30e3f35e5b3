import { mapAt } from '../../core/map-at.ts';
import { BitSet } from '../../core/sets/bit-set.ts';
import { type Adjacency, countedPositions, positionAt } from '../links/adjacency.ts';
import { type LinkPatch, type PatchedLinks, patchedLinks } from '../links/link-patch.ts';
import { baseList, isSameList } from './patched-lists.ts';

/** A patch that is being made. */
interface EditedPatch extends LinkPatch {
  rows: BitSet;
  readonly lists: Map<number, PatchedLinks>;
  linkCount: number;
  unlinkedCount: number;
}

/**
 * Edits the lists of an adjacency, which stays as it is. The first edit copies the map of lists, and the first one of a
 * row that is not patched the set of patched rows; the lists are shared.
 */
export class LinkEdit<Links extends Adjacency = Adjacency> {
  readonly #links: Links;
  readonly #rowCount: number;
  readonly #grown: GrownRows;
  #edited: EditedPatch | null = null;
  #ownsRows = false;
  #finished: Links | null = null;

  /** `rowCount` is the number of source rows now. Those that the adjacency does not know have no links yet. */
  constructor(links: Links, rowCount: number, grown = new GrownRows()) {
    this.#links = links;
    this.#rowCount = rowCount;
    this.#grown = grown;
    if (rowCount > knownRows(links)) this.#edit();
  }

  /** The links of a row, with all edits so far. */
  list(row: number): PatchedLinks {
    const patch = this.#edited ?? this.#links.patch;
    return (patch && patchedLinks(patch, row)) ?? baseList(this.#links, row);
  }

  /** Calls `visit` with each target of a row and its position, as `list` has them, without making a list. */
  eachTarget(row: number, visit: (target: number, position: number) => void): void {
    const { offsets, targets, positions, patch } = this.#links;
    const current = this.#edited ?? patch;
    const patched = current && patchedLinks(current, row);
    if (patched) {
      for (let i = 0; i < patched.targets.length; i++) visit(patched.targets[i], patched.positions![i]);
      return;
    }
    for (let link = offsets[row], i = 0; link < offsets[row + 1]; link++, i++) {
      visit(targets[link], positionAt(positions ?? countedPositions, link, i));
    }
  }

  /** Replaces the links of a row, if they are others. Returns whether they are. */
  set(row: number, list: PatchedLinks): boolean {
    if (isSameList(list, this.list(row))) return false;
    this.#put(row, list);
    return true;
  }

  /** Moves the links of a row to the patch, as they are. */
  patch(row: number): void {
    this.#put(row, this.list(row));
  }

  #put(row: number, list: PatchedLinks): void {
    const edited = this.#edit();
    if (edited.rows.has(row)) {
      const before = edited.lists.get(row)?.targets.length ?? 0;
      edited.linkCount -= before;
      if (before === 0) edited.unlinkedCount--;
    } else {
      if (!this.#ownsRows) edited.rows = edited.rows.clone();
      this.#ownsRows = true;
      edited.rows.add(row);
    }
    edited.linkCount += list.targets.length;
    if (list.targets.length > 0) edited.lists.set(row, list);
    else {
      edited.lists.delete(row);
      edited.unlinkedCount++;
    }
  }

  /** The rows that have a patched list. */
  get patchedRows(): Iterable<number> {
    return (this.#edited ?? this.#links.patch)?.lists.keys() ?? [];
  }

  /** Returns the edited adjacency; the given one if no list has changed. Edit no more then. */
  finish(): Links {
    if (this.#edited) this.#finished ??= { ...this.#links, patch: this.#edited };
    return this.#finished ?? this.#links;
  }

  #edit(): EditedPatch {
    if (this.#edited) return this.#edited;
    const { patch } = this.#links;
    const known = knownRows(this.#links);
    const isGrown = this.#rowCount > known;
    const rows = isGrown ? this.#grown.of(patch?.rows ?? null, known, this.#rowCount) : patch?.rows;
    this.#ownsRows = !rows;
    const linkCount = patch ? patch.linkCount : 0;
    const unlinkedCount = (patch ? patch.unlinkedCount : 0) + this.#rowCount - known;
    this.#edited = { rows: rows ?? new BitSet(known), lists: new Map(patch?.lists), linkCount, unlinkedCount };
    return this.#edited;
  }
}

/** The number of source rows of an adjacency. */
function knownRows({ offsets, patch }: Adjacency): number {
  return patch ? patch.rows.size : offsets.length - 1;
}

/**
 * The sets of patched rows after rows were added. Adjacencies with the same rows before share one set: in a type with 20
 * attributes of links and 100,000 rows, a new row takes 12 KB then instead of 250.
 */
export class GrownRows {
  /** By the set before, and then by the numbers of rows: collections that have as many rows share a set, too. */
  readonly #sets = new Map<BitSet | null, Map<string, BitSet>>();

  /** Returns the patched rows, if there are any, and those from `known` on. Do not change the set. */
  of(patched: BitSet | null, known: number, rowCount: number): BitSet {
    const grownSets = mapAt(this.#sets, patched, () => new Map<string, BitSet>());
    return mapAt(grownSets, `${known} ${rowCount}`, () => grow(patched, known, rowCount));
  }
}

function grow(patched: BitSet | null, known: number, rowCount: number): BitSet {
  const rows = new BitSet(rowCount);
  if (patched) rows.words.set(patched.words);
  for (let row = known; row < rowCount; row++) rows.add(row);
  return rows;
}
