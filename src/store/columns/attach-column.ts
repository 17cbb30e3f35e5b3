/** The arrays of a column: its codes, its value index and those of its dictionary. */

import { searchTextOf } from '../../model/schema/compared-texts.ts';
import type { ScalarType } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { ArrayList, ArrayTable } from '../flat-arrays.ts';
import { FoldedTexts } from '../texts/folded-texts.ts';
import { TextDictionary } from '../texts/text-dictionary.ts';
import { TextSearch } from '../texts/text-search.ts';
import { TrigramIndex } from '../texts/trigram-index.ts';
import { Column, type ValueIndex } from './column.ts';
import { type Dictionary, PresenceDictionary } from './dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from './number-dictionary.ts';
import { RangeBitmaps } from './range-bitmaps.ts';

export function describeColumn(list: ArrayList, name: string, { codes, index, dictionary }: Column): void {
  list.add(`${name}/codes`, codes);
  describeIndex(list, `${name}/index`, index);
  describeDictionary(list, name, dictionary);
}

/** Constructs the column of an attribute of a type. */
export function attachColumn(table: ArrayTable, name: string, type: ScalarType): Column {
  const index = attachIndex(table, `${name}/index`);
  return new Column(table.uint32(`${name}/codes`), attachDictionary(table, name, type), index);
}

function describeIndex(list: ArrayList, name: string, { offsets, rows, bitmaps }: ValueIndex): void {
  list.add(`${name}/offsets`, offsets);
  list.add(`${name}/rows`, rows);
  if (!bitmaps) return;
  const { cumulative, codes, byCode } = bitmaps.arrays;
  list.add(`${name}/bitmaps/cumulative`, cumulative);
  list.add(`${name}/bitmaps/codes`, codes);
  list.add(`${name}/bitmaps/byCode`, byCode);
}

function attachIndex(table: ArrayTable, name: string): ValueIndex {
  const rows = table.uint32(`${name}/rows`);
  const bitmaps = table.has(`${name}/bitmaps/cumulative`) ? attachBitmaps(table, `${name}/bitmaps`, rows) : null;
  return { offsets: table.uint32(`${name}/offsets`), rows, bitmaps };
}

function attachBitmaps(table: ArrayTable, name: string, rows: Uint32Array): RangeBitmaps {
  return new RangeBitmaps(rows, {
    cumulative: table.uint32(`${name}/cumulative`),
    codes: table.uint32(`${name}/codes`),
    byCode: table.uint32(`${name}/byCode`),
  });
}

function describeDictionary(list: ArrayList, name: string, dictionary: Dictionary): void {
  switch (dictionary.kind) {
    case 'text':
      // only a delta has a DeltaTextDictionary
      return describeTexts(list, name, dictionary as TextDictionary);
    case 'number':
      list.add(`${name}/values`, dictionary.values);
      return list.addNumber(`${name}/searchCost`, dictionary.searchCost);
    case 'bigint':
      return list.add(`${name}/values`, dictionary.values);
    case 'presence':
      return;
    default:
      dictionary satisfies never;
  }
}

function attachDictionary(table: ArrayTable, name: string, type: ScalarType): Dictionary {
  switch (comparisonKindOf(type)) {
    case 'text':
      return attachTexts(table, name);
    case 'number':
      return new NumberDictionary(
        table.float64(`${name}/values`),
        searchTextOf(type),
        table.number(`${name}/searchCost`),
      );
    case 'bigint':
      return new BigIntegerDictionary(table.bigint64(`${name}/values`));
    case 'presence':
      return new PresenceDictionary();
  }
}

function describeTexts(list: ArrayList, name: string, { bytes, offsets, textSearch }: TextDictionary): void {
  list.add(`${name}/bytes`, bytes);
  list.add(`${name}/offsets`, offsets);
  const { rewritten } = textSearch.folded;
  list.add(`${name}/folded/words`, rewritten.words);
  list.add(`${name}/folded/numbers`, rewritten.numbers);
  list.add(`${name}/folded/bytes`, rewritten.bytes);
  list.add(`${name}/folded/offsets`, rewritten.offsets);
  if (!textSearch.trigrams) return;
  const { lists, frequent } = textSearch.trigrams;
  list.add(`${name}/trigrams/trigrams`, lists.trigrams);
  list.add(`${name}/trigrams/offsets`, lists.offsets);
  list.add(`${name}/trigrams/gaps`, lists.gaps);
  list.add(`${name}/frequent/bytes`, frequent.bytes);
  list.add(`${name}/frequent/words`, frequent.words);
}

function attachTexts(table: ArrayTable, name: string): TextDictionary {
  const bytes = table.bytes(`${name}/bytes`);
  const offsets = table.uint32(`${name}/offsets`);
  const folded = new FoldedTexts(bytes, offsets, {
    words: table.uint32(`${name}/folded/words`),
    numbers: table.uint32(`${name}/folded/numbers`),
    bytes: table.bytes(`${name}/folded/bytes`),
    offsets: table.uint32(`${name}/folded/offsets`),
  });
  const trigrams = table.has(`${name}/trigrams/trigrams`) ? attachTrigrams(table, name, folded.size) : null;
  return new TextDictionary(bytes, offsets, new TextSearch(bytes, offsets, folded, trigrams));
}

function attachTrigrams(table: ArrayTable, name: string, size: number): TrigramIndex {
  const lists = {
    trigrams: table.uint32(`${name}/trigrams/trigrams`),
    offsets: table.uint32(`${name}/trigrams/offsets`),
    gaps: table.uint8(`${name}/trigrams/gaps`),
  };
  const frequent = { bytes: table.uint8(`${name}/frequent/bytes`), words: table.uint32(`${name}/frequent/words`) };
  return new TrigramIndex(lists, frequent, size);
}
