import type { Allocator } from '../../../core/memory/allocator.ts';
import { iota } from '../../../core/sets/row-set.ts';
import { servedJsonText } from '../../../model/schema/json-text.ts';
import { type EntryType, type ScalarType, servedScalars } from '../../../model/schema/schema.ts';
import { comparisonKindOf } from '../../../model/schema/value-types.ts';
import type { Collection } from '../../collection.ts';
import type { Column } from '../../columns/column.ts';
import { allocateAt, placeOf } from '../allocation-errors.ts';
import { type ColumnBuilder, columnBuilder } from '../columns/column-builder.ts';

type FinishedRows = Pick<Collection, 'rowCount' | 'columns' | 'jsonRows'>;

/** Whether queries may compare an attribute's JSON as text. Lists are only compared with null. */
export function isComparedAsJson(type: ScalarType): boolean {
  return comparisonKindOf(type) === 'presence' && type !== 'array';
}

/**
 * Adds the columns of JSON as text that a collection does not have yet, in the order of attributes. They are read from
 * the finished rows, because gathering them while rows are added raises the peak of memory by 15 % (magazine of 100,000
 * entries).
 */
export function addJsonTexts(
  entryType: EntryType,
  rows: FinishedRows & { readonly jsonTexts: Map<string, Column> },
  allocator: Allocator,
): void {
  for (const { name, type } of servedScalars(entryType)) {
    if (!isComparedAsJson(type)) continue;
    const place = placeOf(entryType.uid, name);
    const build = () => jsonTextColumn(rows, name, columnBuilder('string', allocator, place));
    const column = rows.jsonTexts.get(name) ?? allocateAt(place, build);
    // moves a column that is already there to its place
    rows.jsonTexts.delete(name);
    rows.jsonTexts.set(name, column);
  }
}

function jsonTextColumn({ columns, jsonRows, rowCount }: FinishedRows, name: string, builder: ColumnBuilder): Column {
  const { codes } = columns.get(name)!;
  for (let row = 0; row < rowCount; row++) {
    builder.push(codes[row] === 0 ? undefined : servedJsonText(jsonRows.value(row, name)));
  }
  return builder.finish(iota(rowCount));
}
