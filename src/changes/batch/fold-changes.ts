import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { batchLimits } from './batch.ts';
import { planChangesInSteps } from './check-changes.ts';
import { ChangePlan, entryKey } from './plan-changes.ts';

/**
 * Returns one list of changes in place of two: a later change of an entry replaces an earlier one, so that an editor who
 * saves often adds little. Returns null if a list deletes entries or does not fit the content, or if the result is too
 * long. Applying the result can still lead to another content: references find entries of later changes, and components
 * get ids in another order.
 */
export function* foldChangesInSteps(
  content: LoadedSnapshot,
  list: unknown,
  added: unknown,
): Steps<readonly unknown[] | null> {
  const folded = yield* keepLastByEntryInSteps(content, list);
  const later = yield* keepLastByEntryInSteps(content, added);
  if (!folded || !later) return null;
  // an entry that is known keeps its place, and with it its id
  for (const [key, change] of later) folded.set(key, change);
  return folded.size > batchLimits.entities ? null : [...folded.values()];
}

/** Returns the last change of each entry, in the order of these. */
function* keepLastByEntryInSteps(
  { store, kind, tolerance }: LoadedSnapshot,
  list: unknown,
): Steps<Map<string, unknown> | null> {
  if (!Array.isArray(list) || list.some((change) => isPlainObject(change) && 'delete' in change)) return null;
  const problems = new Problems(tolerance, 'batch');
  const plan = new ChangePlan(store, problems);
  yield* planChangesInSteps(plan, list, problems, { kind });
  if (problems.count > 0) return null;
  return new Map(Array.from(plan.entries, (entry) => [entryKey(entry), list[entry.change]]));
}
