import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { EntryVersions } from '../../load/json/entry-version.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type EntryType, roleType } from '../../model/schema/schema.ts';
import { foldedPatch } from '../entries/fold-patches.ts';
import { batchLimits } from './batch.ts';
import { versionKey } from './changed-rows.ts';
import { type Change, entryNamedBy, type Patch, readChangesInSteps, typeNameOf, type Upsert } from './json-change.ts';

/** The changes of an entry that are kept: an upsert or patches, or an upsert and patches after it. */
type ChangesOfEntry = [Upsert | Patch, ...Patch[]];

/**
 * Returns one list of changes in place of two: a later upsert of an entry replaces what came before, and patches are
 * merged, so that an editor who saves often adds little. Returns null if a list deletes entries or is not valid, or if the
 * result is too long. Applying the result can still lead to another content: references find entries of later changes,
 * and components get ids in another order.
 */
export function* foldChangesInSteps(
  content: LoadedSnapshot,
  list: unknown,
  added: unknown,
): Steps<readonly Change[] | null> {
  // an entry that is known keeps its place, and with it its id
  const folded = new Map<string, ChangesOfEntry>();
  for (const given of [list, added]) if (!(yield* foldInSteps(content, given, folded))) return null;
  const changes = [...folded.values()].flat();
  return changes.length > batchLimits.entities ? null : changes;
}

/** Adds a list to the changes by entry. Returns whether that is possible. */
function* foldInSteps(
  { store, kind, tolerance }: LoadedSnapshot,
  list: unknown,
  folded: Map<string, ChangesOfEntry>,
): Steps<boolean> {
  if (!Array.isArray(list) || list.some((change) => isPlainObject(change) && 'delete' in change)) return false;
  const problems = new Problems(tolerance, 'batch');
  const versions = new EntryVersions(problems, store.defaultLocale, store.locales);
  for (const change of yield* readChangesInSteps(list, problems)) {
    yield;
    if (!change || 'delete' in change) return false;
    const type = store.schema.types.get(typeNameOf(change));
    if (!type) return false;
    const isRole = kind === 'json' && type.uid === roleType;
    const key = isRole ? keyOfRole(change) : keyOf(type, change, versions);
    if (key === null || problems.count > 0) return false;
    const known = folded.get(key);
    const last = known?.at(-1);
    if (!known || !last || 'upsert' in change) folded.set(key, [change]);
    else {
      const one = isRole ? null : foldedPatch(last, change);
      if (one) known[known.length - 1] = one as Patch;
      else known.push(change);
    }
  }
  return true;
}

/** Names an entry in the same way for every spelling of a change: whatever it leaves out has its default value. */
function keyOf(type: EntryType, change: Upsert | Patch, versions: EntryVersions): string | null {
  const location = () => 'changes';
  const version = versions.read(type, entryNamedBy(type, change), { unnamed: location, named: location });
  return version && JSON.stringify([type.uid, version.documentId, versionKey(version)]);
}

function keyOfRole(change: Upsert | Patch): string {
  return JSON.stringify([roleType, 'upsert' in change ? change.entry.type : change.documentId]);
}
