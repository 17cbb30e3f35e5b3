/** The rows that a comparison selects: those of the collection, then those of the delta. */

import { BitSet } from '../../core/sets/bit-set.ts';
import { isSparse, type RowSet } from '../../core/sets/row-set.ts';
import type { Column } from '../../store/columns/column.ts';
import { deltaRowOf } from '../../store/overlay/delta.ts';
import type { ChangedValues, Values } from '../plan/plan.ts';
import { fewRowsOf } from '../plan/plan.ts';

/** A set of rows. `isOwn`: nothing else holds the set, so it may be changed. */
export interface Selected {
  readonly rows: RowSet;
  readonly isOwn: boolean;
}

export function selectValues(values: Values): Selected {
  const { segment, column, codes, changed, estimate } = values;
  if (isSparse(estimate, segment.rowCount)) return { rows: fewRowsOf(values), isOwn: true };
  if (changed) return { rows: manyRows(column, codes, changed), isOwn: true };
  const bitmap = column.bitmapOf(codes);
  return bitmap ? { rows: bitmap, isOwn: false } : { rows: column.rowsWithCodes(codes), isOwn: true };
}

function manyRows(column: Column, codes: Values['codes'], changed: ChangedValues): BitSet {
  const { delta } = changed;
  const rows = new BitSet(delta.rowCount);
  rows.words.set((column.bitmapOf(codes) ?? column.rowsWithCodes(codes)).words);
  const { words } = delta.replaced;
  for (let i = 0; i < words.length; i++) rows.words[i] &= ~words[i];
  for (const row of changed.column.rowListWithCodes(changed.codes)) rows.add(delta.rows[row]);
  return rows;
}

/** Compiles a comparison to a test of single rows. */
export function valuesPredicate({ column, codes, changed, segment }: Values): (row: number) => boolean {
  const test = column.rowPredicate(codes);
  if (!changed) return test;
  const { delta } = changed;
  const { rowCount } = segment.collection;
  const testChanged = changed.column.rowPredicate(changed.codes);
  return (row) => {
    if (row < rowCount && !delta.replaced.has(row)) return test(row);
    const changedRow = deltaRowOf(delta, row);
    return changedRow >= 0 && testChanged(changedRow);
  };
}
