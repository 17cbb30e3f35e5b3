/** Checks what a change requires of the stored entry. */
import { conflict, type RequestError } from '../../core/errors.ts';
import { readNumber } from '../../store/read-value.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { Condition } from '../batch/json-change.ts';
import { idOfRow } from '../batch/stored-links.ts';

interface Conditions {
  readonly if?: Condition;
  readonly ifAbsent?: true;
}

/**
 * Throws a RequestError with status 409 if an entry is not as a change requires. `row` is the row of the entry before all
 * changes of the request; undefined if there is none. `change` is the index of the change.
 */
export function checkConditions(
  store: Store,
  uid: string,
  row: number | undefined,
  { if: condition, ifAbsent }: Conditions,
  change: number,
): void {
  if (ifAbsent && row !== undefined) {
    const id = idOfRow(segmentOf(store, uid), row);
    throw unmet(change, 'ifAbsent', 'no such entry', `there is one, with the id ${id}`);
  }
  if (!condition) return;
  const { updatedAt } = condition;
  const expected = `the entry with "updatedAt" ${updatedAt}`;
  if (row === undefined) throw unmet(change, 'if', expected, 'there is no such entry');
  const found = readNumber(segmentOf(store, uid), row, 'updatedAt');
  if (found === (updatedAt === null ? null : Date.parse(updatedAt))) return;
  throw unmet(change, 'if', expected, `it has ${found === null ? null : new Date(found).toISOString()}`);
}

function unmet(change: number, name: 'if' | 'ifAbsent', expected: string, found: string): RequestError {
  const message = `changes[${change}]: "${name}" expects ${expected}, but ${found}. Nothing is applied`;
  return conflict(message, { change, condition: name, expected, found });
}
