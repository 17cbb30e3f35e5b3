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

/** What of an entry a condition is about. Null: there is no entry. */
type Facts = { readonly updatedAt: string | null } | { readonly id: number } | null;

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
  const segment = segmentOf(store, uid);
  if (ifAbsent && row !== undefined) throw unmet(change, 'ifAbsent', null, { id: idOfRow(segment, row) });
  if (!condition) return;
  const { updatedAt } = condition;
  if (row === undefined) throw unmet(change, 'if', { updatedAt }, null);
  const found = readNumber(segment, row, 'updatedAt');
  if (found === (updatedAt === null ? null : Date.parse(updatedAt))) return;
  throw unmet(change, 'if', { updatedAt }, { updatedAt: found === null ? null : new Date(found).toISOString() });
}

function unmet(change: number, condition: 'if' | 'ifAbsent', expected: Facts, found: Facts): RequestError {
  const message = `changes[${change}]: "${condition}" expects ${describe(expected)}, but found ${describe(found)}`;
  return conflict(`${message}. Nothing is applied`, { change, condition, expected, found });
}

function describe(facts: Facts): string {
  if (facts === null) return 'no such entry';
  return 'id' in facts ? `one with the id ${facts.id}` : `an entry with the updatedAt ${facts.updatedAt}`;
}
