/**
 * Ranks order rows by one sort key. A rank is a whole number that grows in the direction of the sort. Ascending, it is
 * the code; descending, it counts down from the greatest code. The rank of null is less or greater than all others.
 */
import type { BitSet } from '../../core/sets/bit-set.ts';
import { type CodeRange, noCodes } from '../../core/sets/code-set.ts';
import { iota } from '../../core/sets/row-set.ts';
import { jsonTextOf, orderKeysOf } from '../../store/collection.ts';
import type { Column } from '../../store/columns/column.ts';
import { type Adjacency, linksOfRows } from '../../store/links/adjacency.ts';
import { type Delta, deltaRowOf } from '../../store/overlay/delta.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import type { RequestView } from '../plan/request-view.ts';
import { follow } from '../plan/request-view.ts';
import { prefersRankingAll, rankingCost } from '../plan/sort-cost.ts';
import type { JoinedValues } from '../visible/joined-columns.ts';
import { computedRanking, isNullFirst, type RankFunction, type Ranking, type SortOrder } from './computed-ranks.ts';

/** The columns of a collection or a delta. */
interface Columns<Sorted> {
  readonly columns: ReadonlyMap<string, Sorted>;
  readonly comparedTexts: ReadonlyMap<string, Sorted>;
}

/** Returns the column that a sort key of one name reads. */
export function sortedColumn<Sorted extends Column>(
  { columns, comparedTexts }: Columns<Sorted>,
  { path: [name], sortsJsonText = false }: SortKey,
): Sorted {
  const column = sortsJsonText ? comparedTexts.get(name) : (comparedTexts.get(orderKeysOf(name)) ?? columns.get(name));
  if (!column) throw new Error(`no column ${name} to sort by`);
  return column;
}

/** Returns a name of that column which no other column of the collection has. */
function nameOfSorted({ comparedTexts }: Columns<Column>, { path: [name], sortsJsonText = false }: SortKey): string {
  if (sortsJsonText) return jsonTextOf(name);
  return comparedTexts.has(orderKeysOf(name)) ? orderKeysOf(name) : name;
}

/** The codes of a column in the order of a sort: `first`, then each `step` from the last. One after the greatest is null. */
interface CodeOrder {
  readonly size: number;
  readonly first: number;
  readonly step: 1 | -1;
}

/** Returns the order of the codes of `size` values and null. */
export function codeOrder(size: number, order: SortOrder): CodeOrder {
  const nullFirst = isNullFirst(order);
  if (order.descending) return { size, first: nullFirst ? size + 1 : size, step: -1 };
  return { size, first: nullFirst ? 0 : 1, step: 1 };
}

/** Returns the first position of a range of codes without null, and the one after its last; without a range, those of all codes. */
export function positionsOf({ size, first, step }: CodeOrder, within: CodeRange | null): [number, number] {
  if (!within) return [0, size + 1];
  const { low, high } = within;
  return step === 1 ? [low - first, high - first] : [first - high + 1, first - low + 1];
}

/** Returns the code at a position, from 0 to `size`. */
export function codeAt(position: number, { size, first, step }: CodeOrder): number {
  const code = first + step * position;
  return code > size ? 0 : code;
}

/**
 * Compiles a sort key for about `rows` rows. Through a to-many relation, a row ranks as the least of its related rows, so
 * each entry comes once, at its first position. A row without related rows ranks as null.
 */
export function compileSortKey(view: RequestView, segment: Segment, key: SortKey, rows = 0): RankFunction {
  return compileWith(joinedColumn(view, segment, key, rows), view, segment, key);
}

/** The same with what `joinedColumn` returned. */
export function compileWith(joined: Column | null, view: RequestView, segment: Segment, key: SortKey): RankFunction {
  return (joined ? rankingByColumn(joined, key) : rankingBy(view, segment, key)).rank;
}

/**
 * Returns a column with the value of every row of the segment to which the relations of a sort key lead. Null if there is
 * none, or the key has no relations.
 */
export function joinedColumn(view: RequestView, segment: Segment, key: SortKey, rows: number): Column | null {
  const joined = key.path.length > 1 && !key.by ? joinedValues(view, segment, key, rows) : null;
  return joined?.uncertain.length === 0 ? joined.column : null;
}

/** Returns the column of what the relations of a sort key lead to, if there is one. */
function joinedValues(view: RequestView, segment: Segment, key: SortKey, rows: number): JoinedValues | null {
  const [attribute, ...rest] = key.path;
  if (rest.length === 0) {
    const { collection } = segment;
    const path = nameOfSorted(collection, key);
    return { column: sortedColumn(collection, key), codes: noCodes, path, uncertain: noRows };
  }
  const { target, links } = follow(view, segment, attribute);
  const inner = joinedValues(view, target, { ...key, path: rest }, rows);
  const averageCost = () => rankingCost(view, segment, [key], rows);
  return inner && view.joinedValues({ segment, attribute, target, links, inner, averageCost });
}

const noRows = new Uint32Array(0);

function rankingBy(view: RequestView, segment: Segment, key: SortKey): Ranking {
  const [name, ...rest] = key.path;
  if (rest.length === 0) {
    if (key.by) return computedRanking(view, segment, key, key.by);
    const { collection, delta } = segment;
    if (delta) return rankingByBoth(segment, delta, key);
    return rankingByColumn(sortedColumn(collection, key), key);
  }
  const { target, links } = follow(view, segment, name);
  const inner = rankingBy(view, target, { ...key, path: rest });
  const reachable = view.reachable(target);
  const isFollowedFurther = rest.length > 1;
  const { nullRank } = inner;
  const rankLinked = (rows: Uint32Array, links: Adjacency) => {
    const linkRanks = rankTargets(linkTargets(rows, links), target, inner.rank, isFollowedFurther);
    return leastRanks(rows, links, reachable, linkRanks, nullRank);
  };
  const rank: RankFunction = (rows) => {
    if (links.forward.patch) return rankLinked(iota(rows.length), linksOfRows(links.forward, rows));
    return rankLinked(rows, links.forward);
  };
  return { rank, nullRank };
}

/** The ranks of the targets of links: that of link i is `ranks[indexes[i]]`; without `indexes` it is `ranks[i]`. */
interface LinkRanks {
  readonly ranks: Uint32Array;
  readonly indexes: Uint32Array | null;
}

/** Ranks the rows that links lead to. If they are many, ranks all rows of their segment instead, which is faster. */
function rankTargets(
  targets: Uint32Array,
  segment: Segment,
  rank: RankFunction,
  isFollowedFurther: boolean,
): LinkRanks {
  const { rowCount } = segment;
  if (prefersRankingAll(targets.length, segment)) return { ranks: rank(iota(rowCount)), indexes: targets };
  if (!isFollowedFurther) return { ranks: rank(targets), indexes: null };
  const { distinct, numbers } = numberRows(targets, rowCount);
  return { ranks: rank(distinct), indexes: numbers };
}

/**
 * Returns for each row the least rank of the targets of its links to `reachable` rows; `nullRank` without such links.
 */
function leastRanks(
  rows: Uint32Array,
  { offsets, targets }: Adjacency,
  reachable: BitSet | null,
  { ranks: targetRanks, indexes }: LinkRanks,
  nullRank: number,
): Uint32Array {
  const ranks = new Uint32Array(rows.length);
  let link = 0;
  for (let i = 0; i < rows.length; i++) {
    let least = -1;
    for (let at = offsets[rows[i]], end = offsets[rows[i] + 1]; at < end; at++, link++) {
      if (reachable && !reachable.has(targets[at])) continue;
      const targetRank = targetRanks[indexes ? indexes[link] : link];
      if (least < 0 || targetRank < least) least = targetRank;
    }
    ranks[i] = least < 0 ? nullRank : least;
  }
  return ranks;
}

/** A function of its own, so that cached rank functions retain nothing but the column. */
function rankingByColumn({ codes, dictionary }: Column, order: SortOrder): Ranking {
  const above = dictionary.size + 1;
  const nullRank = isNullFirst(order) ? 0 : above;
  const { descending } = order;
  const rank: RankFunction = (rows) => {
    const ranks = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const code = codes[rows[i]];
      ranks[i] = code === 0 ? nullRank : descending ? above - code : code;
    }
    return ranks;
  };
  return { rank, nullRank };
}

/** Ranks the values of collection and delta together. */
function rankingByBoth(segment: Segment, delta: Delta, key: SortKey): Ranking {
  const { codes, dictionary } = sortedColumn(segment.collection, key);
  const changed = sortedColumn(delta, key);
  const { stored, own } = changed.places(dictionary.size);
  const above = stored(dictionary.size + 1);
  const nullRank = isNullFirst(key) ? 0 : above;
  const { descending } = key;
  const { rowCount } = segment.collection;
  const { replaced } = delta;
  const placeOf = (row: number): number => {
    if (row < rowCount && !replaced.has(row)) return stored(codes[row]);
    const changedRow = deltaRowOf(delta, row);
    return changedRow < 0 ? 0 : own[changed.codes[changedRow]];
  };
  const rank: RankFunction = (rows) => {
    const ranks = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const place = placeOf(rows[i]);
      ranks[i] = place === 0 ? nullRank : descending ? above - place : place;
    }
    return ranks;
  };
  return { rank, nullRank };
}

/** The targets of the links of rows, link by link. */
function linkTargets(rows: Uint32Array, { offsets, targets }: Adjacency): Uint32Array {
  let length = 0;
  for (let i = 0; i < rows.length; i++) length += offsets[rows[i] + 1] - offsets[rows[i]];
  const related = new Uint32Array(length);
  let end = 0;
  for (let i = 0; i < rows.length; i++) {
    for (let at = offsets[rows[i]]; at < offsets[rows[i] + 1]; at++) related[end++] = targets[at];
  }
  return related;
}

/**
 * If fewer than one row in this many is numbered, a map is faster than a table of all rows. Of 100,000 rows, it is 11
 * times as fast for 100 rows, as fast for 1,000, and takes 3 times as long for 3,000.
 */
const fewNumbered = 100;

/**
 * Returns the distinct rows, and the number of each row among them. So the links of a row that is reached many times
 * are followed once.
 */
function numberRows(rows: Uint32Array, rowCount: number): { distinct: Uint32Array; numbers: Uint32Array } {
  const distinct = new Uint32Array(rows.length);
  const numbers = new Uint32Array(rows.length);
  let length = 0;
  if (rows.length * fewNumbered < rowCount) {
    const known = new Map<number, number>();
    for (let i = 0; i < rows.length; i++) {
      let number = known.get(rows[i]);
      if (number === undefined) {
        number = length;
        known.set(rows[i], number);
        distinct[length++] = rows[i];
      }
      numbers[i] = number;
    }
  } else {
    // one more than the number; 0: not numbered
    const known = new Uint32Array(rowCount);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (known[row] === 0) {
        distinct[length++] = row;
        known[row] = length;
      }
      numbers[i] = known[row] - 1;
    }
  }
  return { distinct: distinct.subarray(0, length), numbers };
}
