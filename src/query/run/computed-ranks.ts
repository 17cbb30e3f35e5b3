/** Ranks by what no column holds: a hash of the documentId, the number of related entries, the order of a language. */
import { countMembers } from '../../core/sets/row-set.ts';
import { targetsOf } from '../../store/links/adjacency.ts';
import { mostLinks } from '../../store/links/link-counts.ts';
import { deltaRowOf } from '../../store/overlay/delta.ts';
import type { Segment } from '../../store/segment.ts';
import type { DeltaTextDictionary } from '../../store/texts/delta-text-dictionary.ts';
import type { TextDictionary } from '../../store/texts/text-dictionary.ts';
import type { SortKey } from '../bound.ts';
import { follow, populatedLinks, populatedRows, type RequestView } from '../plan/request-view.ts';

/** Returns the rank of each row. */
export type RankFunction = (rows: Uint32Array) => Uint32Array;

export interface Ranking {
  readonly rank: RankFunction;
  /** The rank of null: 0 if null comes first, else one more than the rank of the last value. */
  readonly nullRank: number;
}

/** What a sort key says about the order of values. */
export type SortOrder = Pick<SortKey, 'descending' | 'nullIsLeast'>;

/** Returns whether rows with null come before those with a value. */
export function isNullFirst({ descending, nullIsLeast = false }: SortOrder): boolean {
  return descending !== nullIsLeast;
}

/** Returns the ranking of a key of one name that is sorted by something else than its values. */
export function computedRanking(view: RequestView, segment: Segment, key: SortKey, by: SortKey['by'] & {}): Ranking {
  switch (by.kind) {
    case 'hash':
      return rankingByHash(segment, key, by.seed);
    case 'count':
      return rankingByCount(view, segment, key);
    case 'language':
      return rankingByLanguage(view, segment, key, by.language);
    default:
      return by satisfies never;
  }
}

/** Nothing linked before the counted relation counts 0, too. */
function rankingByCount(view: RequestView, segment: Segment, { path: [name], descending }: SortKey): Ranking {
  const { target } = follow(view, segment, name);
  const forward = populatedLinks(view, segment, name);
  const shown = populatedRows(view, target);
  const most = Math.floor(mostLinks(forward, 1));
  const rank: RankFunction = (rows) => {
    const ranks = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const targets = targetsOf(forward, rows[i]);
      const count = shown ? countMembers(targets, 0, targets.length, shown) : targets.length;
      ranks[i] = descending ? most - count : count;
    }
    return ranks;
  };
  return { rank, nullRank: descending ? most : 0 };
}

function rankingByHash(segment: Segment, { path: [name] }: SortKey, seed: string): Ranking {
  const { collection, delta, changed } = segment;
  const { codes, dictionary } = collection.columns.get(name)!;
  const texts = dictionary as TextDictionary;
  const edited = delta?.columns.get(name);
  const editedTexts = edited?.dictionary as DeltaTextDictionary | undefined;
  const prefix = Buffer.from(`${seed}:`);
  const begun = fnv1a(fnvBasis, prefix, 0, prefix.length);
  const hashOf = (row: number): number => {
    if (edited && editedTexts && changed?.has(row)) {
      const bytes = editedTexts.withSeparators(edited.codes[deltaRowOf(delta!, row)] - 1);
      return finished(fnv1a(begun, bytes, 1, bytes.length - 1));
    }
    const value = row < collection.rowCount ? codes[row] - 1 : -1;
    if (value < 0) return 0;
    return finished(fnv1a(begun, texts.bytes, texts.offsets[value], texts.offsets[value + 1] - 1));
  };
  return { rank: (rows) => rows.map(hashOf), nullRank: 0 };
}

function rankingByLanguage({ derived }: RequestView, segment: Segment, key: SortKey, language: string): Ranking {
  const { collection, delta } = segment;
  const [name] = key.path;
  const column = collection.columns.get(name)!;
  const changed = delta?.columns.get(name);
  if (!delta || !changed) {
    const { places, examples } = derived.languageTexts.order(column, language);
    return rankingByPlaces((row) => places[column.codes[row]], examples.length, key);
  }
  const { stored, own, greatest } = derived.languageTexts.mergedOrder(column, changed, language);
  const { rowCount } = collection;
  const placeOf = (row: number): number => {
    if (row < rowCount && !delta.replaced.has(row)) return stored[column.codes[row]];
    const changedRow = deltaRowOf(delta, row);
    return changedRow < 0 ? 0 : own[changed.codes[changedRow]];
  };
  return rankingByPlaces(placeOf, greatest, key);
}

function rankingByPlaces(placeOf: (row: number) => number, greatest: number, key: SortKey): Ranking {
  const above = greatest + 1;
  const nullRank = isNullFirst(key) ? 0 : above;
  const { descending } = key;
  const rank: RankFunction = (rows) =>
    rows.map((row) => {
      const place = placeOf(row);
      return place === 0 ? nullRank : descending ? above - place : place;
    });
  return { rank, nullRank };
}

const fnvBasis = 0x811c9dc5;

function fnv1a(hash: number, bytes: Uint8Array, start: number, end: number): number {
  let next = hash;
  for (let i = start; i < end; i++) next = Math.imul(next ^ bytes[i], 0x01000193);
  return next;
}

/** The end of 32-bit murmur3: similar hashes get different places. */
function finished(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
