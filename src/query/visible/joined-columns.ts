/**
 * Columns of what relations to one row lead to: of articles, the league of the team of the author. On such a column, a
 * filter or a sort through the relations is one by a value of the row's own.
 */
import { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import { rowsOfStatus } from '../../store/collection.ts';
import { Column } from '../../store/columns/column.ts';
import type { Adjacency, AdjacencyPair } from '../../store/links/adjacency.ts';
import type { Segment } from '../../store/segment.ts';
import { buildValueIndex } from '../../store/writer/columns/build-value-index.ts';
import type { Derived, DerivedRegistry } from './registry.ts';

/** What building a column costs for each row, in the units of a plan's cost. */
const buildCost = 30;
/** Paths whose cost is added up. More are forgotten, and begin again. */
const maximumPaths = 1000;
/** Beyond one in this many rows, testing the uncertain ones takes longer than following the relations. */
const uncertainShare = 16;

/** A comparison at the end of relations, as one on the rows in front of them. */
export interface JoinedValues {
  /** By row of the collection: the code of the value that it leads to, 0 without one. */
  readonly column: Column;
  readonly codes: CodeSet;
  /** The attributes from the rows to the value. */
  readonly path: string;
  /** Rows, ascending, that may lead to another value since entries changed. Rows that the column lacks are among them. */
  readonly uncertain: Uint32Array;
}

/** A relation, and the comparison behind it. */
export interface Join {
  readonly segment: Segment;
  readonly attribute: string;
  readonly target: Segment;
  readonly links: AdjacencyPair;
  readonly inner: JoinedValues;
  /** Returns what following the relation costs on average. */
  averageCost(): number;
}

/** The status that rows have to have for links to them to count. Null: every status. */
type LinkedStatus = 'published' | 'draft' | null;

/**
 * Builds a column when following its relations has cost as much, so that building takes no more time than they did.
 * After changes, a column stays, with a list of the rows that have to be tested.
 */
export class JoinedColumns {
  readonly #registry: DerivedRegistry;
  readonly #known = new Map<string, JoinedColumn>();
  readonly #spent = new Map<string, number>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /** Returns null if there is no column, or not yet. */
  find(join: Join, status: LinkedStatus): JoinedValues | null {
    const { segment, attribute, inner } = join;
    const path = `${attribute}.${inner.path}`;
    const key = `${segment.id} ${status} ${path}`;
    let known = this.#known.get(key);
    if (known) this.#registry.use(known);
    else {
      const spent = join.averageCost() + (this.#spent.get(key) ?? 0);
      if (this.#spent.size >= maximumPaths) this.#spent.clear();
      this.#spent.set(key, spent);
      if (spent < segment.collection.rowCount * buildCost) return null;
      this.#spent.delete(key);
      known = new JoinedColumn(join, status, () => this.#known.delete(key));
      this.#known.set(key, known);
      this.#registry.add(known);
    }
    const { column } = known;
    const uncertain = column && known.uncertain(join);
    return uncertain && { column, codes: inner.codes, path, uncertain };
  }
}

class JoinedColumn implements Derived {
  readonly onEvict: () => void;
  /** Null if a row has several links that count. */
  readonly column: Column | null;
  /** What `#uncertain` was computed for. */
  #version = '';
  #innerUncertain: Uint32Array | null = null;
  #uncertain: Uint32Array | null = null;

  constructor({ links, inner, target: { collection } }: Join, status: LinkedStatus, onEvict: () => void) {
    this.onEvict = onEvict;
    const stored = status === null || !collection.published ? null : rowsOfStatus(collection, status);
    const codes = joinedCodes(links.forward, inner.column.codes, stored);
    const { dictionary } = inner.column;
    this.column = codes && new Column(codes, dictionary, buildValueIndex(codes, dictionary.size));
  }

  get bytes(): number {
    if (!this.column) return 0;
    const { codes, index } = this.column;
    const arrays = [codes, index.offsets, index.rows, ...Object.values(index.bitmaps?.arrays ?? {})];
    return arrays.reduce((total, { byteLength }) => total + byteLength, 0);
  }

  /** Returns the uncertain rows of a join, null if they are many. */
  uncertain(join: Join): Uint32Array | null {
    const { segment, target, inner } = join;
    const version = `${segment.version} ${target.version}`;
    if (version !== this.#version || inner.uncertain !== this.#innerUncertain) {
      this.#version = version;
      this.#innerUncertain = inner.uncertain;
      this.#uncertain = uncertainRows(join);
    }
    return this.#uncertain;
  }
}

/**
 * Returns the code of the value that each row leads to, 0 without one; null if a row leads to several. Links count to the
 * rows in `stored`, dead ones among them; null: all rows.
 */
function joinedCodes({ offsets, targets }: Adjacency, codes: Uint32Array, stored: BitSet | null): Uint32Array | null {
  const joined = new Uint32Array(offsets.length - 1);
  for (let row = 0; row < joined.length; row++) {
    let isLinked = false;
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      const target = targets[link];
      if (stored && !stored.has(target)) continue;
      if (isLinked) return null;
      isLinked = true;
      joined[row] = codes[target];
    }
  }
  return joined;
}

const noRows = new Uint32Array(0);

/** Returns the rows whose links are patched, or that lead to a target which has changed. */
function uncertainRows({ segment, target, links, inner }: Join): Uint32Array | null {
  const { forward, reverse } = links;
  const { delta, dead, hidden } = target;
  if (!forward.patch && !delta && !hidden && dead.length === 0 && inner.uncertain.length === 0) return noRows;
  const maximum = segment.rowCount / uncertainShare;
  const rows = forward.patch?.rows.clone() ?? new BitSet(segment.rowCount);
  let added = 0;
  const addSources = (changed: Uint32Array) => {
    for (let i = 0; i < changed.length && added <= maximum; i++) {
      // rows that were added later have only patched links
      if (changed[i] + 1 >= reverse.offsets.length) continue;
      for (let link = reverse.offsets[changed[i]]; link < reverse.offsets[changed[i] + 1]; link++, added++) {
        rows.add(reverse.targets[link]);
      }
    }
  };
  if (delta) addSources(delta.rows);
  addSources(dead);
  if (hidden) addSources(hidden.toArray());
  addSources(inner.uncertain);
  return added > maximum || rows.count() > maximum ? null : rows.toArray();
}
