import { joinRows } from '../../core/sets/row-set.ts';
import type { Values } from './physical-plan.ts';

/** Returns the rows that a comparison selects as an ascending list, for where they are few. */
export function fewRowsOf({ column, codes, changed }: Values): Uint32Array {
  const stored = column.rowListWithCodes(codes);
  if (!changed) return stored;
  const { delta } = changed;
  const kept = stored.filter((row) => !delta.replaced.has(row));
  const others = changed.column.rowListWithCodes(changed.codes);
  if (others.length === 0) return kept;
  return joinRows(
    kept,
    others.map((row) => delta.rows[row]),
  ).sort();
}
