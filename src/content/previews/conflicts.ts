/** Finds what a base and a preview have both changed since the changes of the preview were made. */
import { plainOf } from '../../changes/diff/compare-values.ts';
import { nameOf } from '../../changes/diff/describe-differences.ts';
import type { EntryKey } from '../../changes/diff/differences.ts';
import { ChangeTargets, entriesOfTarget } from '../../changes/entries/change-target.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import { type EntryValues, type KnownValues, nameOfKey, textOf, type Values, valueOfText } from './known-values.ts';

/** An attribute that base and preview have changed, an entry that is gone from the base, or changes that do not fit it. */
export interface Conflict extends Omit<EntryKey, 'id'> {
  readonly kind: 'changed' | 'gone' | 'unfit';
  /** Null: the entry as a whole. */
  readonly attribute: string | null;
  /** The value of the base when the preview first changed it. Left out if it is not known. */
  readonly before?: unknown;
  readonly base: unknown;
  readonly preview: unknown;
  readonly message: string;
}

export interface FoundConflicts {
  readonly conflicts: readonly Conflict[];
  /** Attributes that only the base has changed, and that an upsert of the preview would change back. */
  readonly stale: readonly { readonly key: EntryKey; readonly attribute: string }[];
}

/** Returns the conflicts of some entries. `after` is the base with the changes of the preview. */
export function* findConflictsInSteps(
  keys: Iterable<EntryKey>,
  known: KnownValues,
  base: EntryValues,
  after: EntryValues,
): Steps<FoundConflicts> {
  const conflicts: Conflict[] = [];
  const stale: FoundConflicts['stale'][number][] = [];
  for (const key of keys) {
    yield;
    const before = known[nameOfKey(key)];
    if (before === undefined) continue;
    const [now, changed] = [base.of(key), after.of(key)];
    if (!now) {
      if (before && changed) conflicts.push(goneConflict(key));
      continue;
    }
    for (const name of before ? Object.keys(before) : now.keys()) {
      const [text, preview] = [textOf(now.get(name)), changed && textOf(changed.get(name))];
      const earlier = before ? before[name] : 'null';
      if (text === earlier || text === preview) continue;
      // null is a value of the preview, too
      if (before && preview === earlier) stale.push({ key, attribute: name });
      else conflicts.push(changedConflict(key, name, before ? earlier : null, now, changed));
    }
  }
  return { conflicts, stale };
}

/** Returns the entries that deletions of a preview concern and that the base has got since. */
export function* addedSinceInSteps(
  lists: readonly unknown[],
  known: KnownValues,
  { loaded }: EntryValues,
): Steps<Conflict[]> {
  const targets = new ChangeTargets(loaded);
  const found = new Map<string, Conflict>();
  for (const change of lists.flat()) {
    yield;
    const target = isPlainObject(change) && 'delete' in change ? targets.of(change) : null;
    for (const { key } of target ? entriesOfTarget(loaded.store, target) : []) {
      if (known[nameOfKey(key)] !== undefined) continue;
      const message = `${nameOf(key)}: the preview deletes the document, which has got this entry since`;
      found.set(nameOfKey(key), {
        ...entryOf(key),
        kind: 'changed',
        attribute: null,
        base: null,
        preview: null,
        message,
      });
    }
  }
  return [...found.values()];
}

export function entryOf({ type, documentId, locale, status }: EntryKey): Omit<EntryKey, 'id'> {
  return { type, documentId, locale, status };
}

function goneConflict(key: EntryKey): Conflict {
  const message = `${nameOf(key)}: the preview changes the entry, and the base has it no longer`;
  return { ...entryOf(key), kind: 'gone', attribute: null, base: null, preview: null, message };
}

/** `before` is null if the base had no such entry. */
function changedConflict(
  key: EntryKey,
  attribute: string,
  before: string | null,
  now: Values,
  changed: Values | null,
): Conflict {
  const earlier = before === null ? null : valueOfText(before);
  const preview = changed ? 'the preview has changed it' : 'the preview deletes the entry';
  return {
    ...entryOf(key),
    kind: 'changed',
    attribute,
    ...(earlier !== undefined && { before: earlier }),
    base: plainOf(now.get(attribute)),
    preview: changed ? plainOf(changed.get(attribute)) : null,
    message: `${nameOf(key)}: the base has changed "${attribute}" since, and ${preview} too`,
  };
}

/** Maximum number of conflicts that a reply lists. */
const maxListed = 1000;

/** Returns the details of an error that lists conflicts. */
export function detailsOf(conflicts: readonly Conflict[]): { count: number; conflicts: readonly Conflict[] } {
  return { count: conflicts.length, conflicts: conflicts.slice(0, maxListed) };
}
