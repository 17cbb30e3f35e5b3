import type { Collection } from '../collection.ts';
import type { Column } from '../columns/column.ts';
import type { NumberDictionary } from '../columns/number-dictionary.ts';
import type { SearchKey } from '../columns/sorted-values.ts';
import type { JsonRows } from '../json-rows.ts';
import type { TextDictionary } from '../texts/text-dictionary.ts';
import type { BuiltRows } from '../writer/collection-builder.ts';

/**
 * The rows of one type that a batch writes, in ascending order of id. Plain data, which can be sent to another thread.
 */
export interface BatchRows {
  /** The id of each row. */
  readonly ids: Float64Array;
  /** By attribute, as in a Collection. */
  readonly columns: ReadonlyMap<string, BatchColumn>;
  readonly comparedTexts: ReadonlyMap<string, BatchColumn>;
  readonly json: Pick<JsonRows, 'bytes' | 'starts' | 'offsets'>;
  /** The words of the set of published rows; null for a type without drafts. */
  readonly published: Uint32Array | null;
}

/** The values of one attribute, as in a Column: each row's value as a code, and the distinct values. */
export interface BatchColumn {
  readonly codes: Uint32Array;
  readonly values: BatchValues;
}

/** Distinct values in ascending order, by the kind of their dictionary. */
export type BatchValues =
  | { readonly kind: 'number'; readonly values: Float64Array }
  | { readonly kind: 'bigint'; readonly values: BigInt64Array }
  /** As in a TextDictionary. */
  | BatchTexts
  | { readonly kind: 'presence' };

interface BatchTexts {
  readonly kind: 'text';
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** Returns finished rows as plain data. Shares their arrays. */
export function batchRowsOf({ columns, comparedTexts, jsonRows, published }: BuiltRows): BatchRows {
  return {
    ids: (columns.get('id')!.dictionary as NumberDictionary).values,
    columns: plainColumns(columns),
    comparedTexts: plainColumns(comparedTexts),
    json: { bytes: jsonRows.bytes, starts: jsonRows.starts, offsets: jsonRows.offsets },
    published: published?.words ?? null,
  };
}

function plainColumns(columns: Collection['columns']): Map<string, BatchColumn> {
  return new Map(Array.from(columns, ([name, column]) => [name, { codes: column.codes, values: valuesOf(column) }]));
}

function valuesOf({ dictionary }: Column): BatchValues {
  switch (dictionary.kind) {
    case 'text': {
      // only a delta has a DeltaTextDictionary
      const { kind, bytes, offsets } = dictionary as TextDictionary;
      return { kind, bytes, offsets };
    }
    case 'number':
      return { kind: dictionary.kind, values: dictionary.values };
    case 'bigint':
      return { kind: dictionary.kind, values: dictionary.values };
    case 'presence':
      return { kind: dictionary.kind };
  }
}

/** Returns the number of distinct values. */
export function valueCount(values: BatchValues): number {
  switch (values.kind) {
    case 'text':
      return values.offsets.length - 1;
    case 'presence':
      return 1;
    default:
      return values.values.length;
  }
}

/** Returns value number `i`, from 0. */
export function valueAt(values: BatchValues, i: number): SearchKey {
  switch (values.kind) {
    case 'text':
      return values.bytes.subarray(values.offsets[i], values.offsets[i + 1] - 1);
    case 'presence':
      return true;
    default:
      return values.values[i];
  }
}

/** Returns the bytes of text number `i`, with the separators before and after it. */
export function textWithSeparators(values: BatchValues, i: number): Uint8Array {
  const { bytes, offsets } = values as BatchTexts;
  return bytes.subarray(offsets[i] - 1, offsets[i + 1]);
}
