/**
 * Columns of what relations to one row lead to: of articles, the league of the team of the author. On such a column a
 * filter through the relations is one on a value of the row's own.
 */
import { LRUCache } from 'lru-cache';
import { buildColumn } from '../build/column-builder.ts';
import type { Adjacency } from '../sets/adjacency.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { Column } from '../store/column.ts';
import type { Store, StoreView } from '../store/store.ts';
import { setCost } from './cost-model.ts';
import { type Plan, type SemiJoin, valuesPlan } from './plan.ts';

/** What the joined columns of a store may take, in bytes. */
const mostBytes = 64 * 2 ** 20;

/**
 * A row of a column takes 4 bytes each for its code, its place in the index, its part of the marks and of the sets of
 * rows with one value: all that is attached when it is used. Counts by visibility are counted with the rows that are
 * seen (derived/visible-row-set.ts).
 */
const bytesOfRow = 16;

/** Bytes of a column besides those of its rows: up to 65 sets of rows, each an object with a buffer. */
const bytesOfColumn = 24 * 1024;

/** What it costs to build a column, in steps for each row. */
const buildCost = 30;

/** Bytes of the paths for which it is noted what hops along them have cost: some thousand. */
const mostPathBytes = 2 ** 20;
const bytesOfPath = 128;

interface Joined {
  readonly columns: LRUCache<string, Column>;
  /** By path, what hops have cost so far, in steps. */
  readonly spent: LRUCache<string, number>;
  /** By relation, whether it leads to one row at most. */
  readonly toOne: Map<string, boolean>;
  hits: number;
  misses: number;
}

const known = new WeakMap<Store, Joined>();

/**
 * The plan for a hop over a joined column. A column is built when hops along its path have cost as much as that, so
 * whatever is asked, building takes no more time than the hops did. Null if there is no such column.
 */
export function joinedValues(view: StoreView, hop: SemiJoin): Plan | null {
  const { collection, attribute, links, inner, reachable } = hop;
  if (inner.kind !== 'values') return null;
  const joined = joinedOf(view.store);
  const { columns, spent, toOne } = joined;
  const relation = `${view.name} ${collection.number} ${attribute}`;
  if (!toOne.has(relation)) toOne.set(relation, leadsToOne(links.forward, reachable));
  if (!toOne.get(relation)) return null;
  const { codes, condition } = inner;
  const path = `${attribute}.${condition.attribute}`;
  // tests that look into JSON have a column of their own
  const key = `${relation} ${condition.attribute} ${inner.column.dictionary.kind}`;
  let column = columns.get(key);
  if (column) joined.hits++;
  else {
    joined.misses++;
    const cost = setCost(hop) + (spent.get(key) ?? 0);
    if (cost < collection.rowCount * buildCost) {
      spent.set(key, cost);
      return null;
    }
    spent.delete(key);
    column = join(links.forward, inner.column, reachable);
    columns.set(key, column);
  }
  return valuesPlan(collection, column, codes, { ...condition, attribute: path }, hop);
}

/** How the joined columns of a store have served. */
export function joinedFigures(store: Store): { hits: number; misses: number; bytes: number } {
  const { hits, misses, columns } = joinedOf(store);
  return { hits, misses, bytes: columns.calculatedSize };
}

/** A row that leads nowhere has null, as has one that leads to null: no test tells them apart. */
function join({ offsets, targets }: Adjacency, { codes, dictionary }: Column, reachable: BitSet | null): Column {
  const joined = new Uint32Array(offsets.length - 1);
  for (let row = 0; row < joined.length; row++) {
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      if (!reachable || reachable.has(targets[link])) joined[row] = codes[targets[link]];
    }
  }
  return buildColumn(joined, dictionary);
}

function joinedOf(store: Store): Joined {
  const existing = known.get(store);
  if (existing) return existing;
  const joined: Joined = {
    columns: new LRUCache<string, Column>({
      maxSize: mostBytes,
      sizeCalculation: ({ codes, dictionary }, path) =>
        codes.length * bytesOfRow + dictionary.size * 4 + bytesOfColumn + sizeOfPath(path),
    }),
    spent: new LRUCache<string, number>({ maxSize: mostPathBytes, sizeCalculation: (_, path) => sizeOfPath(path) }),
    toOne: new Map(),
    hits: 0,
    misses: 0,
  };
  known.set(store, joined);
  return joined;
}

function sizeOfPath(path: string): number {
  return 2 * path.length + bytesOfPath;
}

/** Whether no row leads to more than one that is reachable. */
function leadsToOne({ offsets, targets }: Adjacency, reachable: BitSet | null): boolean {
  for (let row = 1; row < offsets.length; row++) {
    let count = 0;
    for (let link = offsets[row - 1]; link < offsets[row]; link++) {
      if ((!reachable || reachable.has(targets[link])) && ++count > 1) return false;
    }
  }
  return true;
}
