/** Makes the changes of a journal again, to another snapshot than that to which they were made. */
import type { Batch } from '../../changes/batch/batch.ts';
import type { Transaction } from '../../changes/journal/format.ts';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { messageOf, RequestError, SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Settings } from '../../model/settings/config.ts';
import { versionText } from '../../store/content-version.ts';
import { applyCheckedInSteps, checkJsonInSteps } from '../versions/change-loaded.ts';
import { type RequestedChanges, requestedIn } from './content-journal.ts';
import { madeComponentsInSteps, ReplayedComponents, UnknownComponent } from './replayed-components.ts';

/** A change that another snapshot does not take. */
export interface LeftChange {
  /** The version that the change led to, and its place in the request, such as `1795392000000-3, changes[0]`. */
  readonly place: string;
  /** As `POST /_changes` takes it: a change, or `{"batch": …}`. */
  readonly change: unknown;
  readonly reason: string;
}

/** What replaying leads to. */
export interface Replayed {
  /** The snapshot with the changes that fit, at the last version of its epoch. */
  readonly loaded: LoadedSnapshot;
  /** What a journal of the snapshot holds of the changes. */
  readonly transactions: readonly Transaction[];
  readonly taken: number;
  readonly left: readonly LeftChange[];
}

/** Where a problem of a list is: `changes[2]`. */
const place = /^changes\[(\d+)\](?:\.entry)?[,:]? ?/;

const namesRows =
  'it names rows by their ids, which may be those of other entries in this snapshot: send it as "changes", with documentIds';

/**
 * Applies the transactions of the journal at `path` to a snapshot, in order. Each change is taken or left: the changes of a
 * request need not stay together. Conditions do not count again.
 */
export function* replayInSteps(
  path: string,
  transactions: readonly Transaction[],
  given: LoadedSnapshot,
  epoch: number,
  settings: Settings,
): Steps<Replayed> {
  let loaded = given;
  let taken = 0;
  const left: LeftChange[] = [];
  const kept: Transaction[] = [];
  const components = new ReplayedComponents(given.store.schema);
  for (const transaction of transactions) {
    const version = versionText(transaction);
    const requested = requestedIn(path, transaction);
    const batch = transaction.changes as Batch;
    if (!requested) {
      const isEmpty = batch.entities.length === 0 && batch.links.length === 0;
      if (!isEmpty) left.push({ place: version, change: { batch }, reason: namesRows });
      continue;
    }
    const result = yield* takeInSteps(loaded, requested, components, settings);
    const wrong = [...result.left].sort((one, other) => one.index - other.index);
    for (const { index, reason } of wrong) {
      left.push({ place: `${version}, changes[${index}]`, change: requested.changes[index], reason });
    }
    taken += requested.changes.length - wrong.length;
    const stores = result.made.map(({ batch: here, before }) => ({ here, store: before.store }));
    components.note(batch, requested.made, stores);
    for (const { batch: here, changes, before, after } of result.made) {
      const made = yield* madeComponentsInSteps(before.store, here);
      const again = { changes: [...changes], at: requested.at, made };
      const digests = { before: stateDigest(before), after: stateDigest(after) };
      kept.push({ epoch, sequence: kept.length + 1, digests, previous: null, changes: here, requested: again });
      loaded = after;
    }
  }
  return { loaded: { ...loaded, version: { epoch, sequence: kept.length } }, transactions: kept, taken, left };
}

interface Left {
  readonly index: number;
  readonly reason: string;
}

/** Changes that were applied together. */
interface Made {
  readonly batch: Batch;
  readonly changes: readonly unknown[];
  /** The content before and after them. */
  readonly before: LoadedSnapshot;
  readonly after: LoadedSnapshot;
}

interface Taken {
  readonly made: readonly Made[];
  readonly left: readonly Left[];
}

/** Takes the changes of a request that are valid, together if possible, and leaves those whose problems are found. */
function* takeInSteps(
  before: LoadedSnapshot,
  { changes: all, at }: RequestedChanges,
  components: ReplayedComponents,
  settings: Settings,
): Steps<Taken> {
  const left: Left[] = [];
  let items: { index: number; change: unknown }[] = [];
  for (const [index, change] of all.entries()) {
    try {
      items.push({ index, change: withoutConditions(components.rewritten(change)) });
    } catch (error) {
      if (!(error instanceof UnknownComponent)) throw error;
      left.push({ index, reason: error.message });
    }
    yield;
  }
  while (items.length > 0) {
    const changes = items.map(({ change }) => change);
    try {
      const { batch, changes: checked } = yield* checkJsonInSteps(before, changes, settings, at);
      const { loaded: after } = yield* applyCheckedInSteps(before, checked);
      return { made: [{ batch, changes, before, after }], left };
    } catch (error) {
      const wrong = wrongChanges(error);
      // nobody knows which change the problem is about
      if (wrong.size === 0 && items.length > 1)
        return yield* takeEachInSteps(before, items, left, { at, components, settings });
      items = items.flatMap(({ index, change }, i) => {
        const reason = wrong.get(i) ?? (wrong.size === 0 ? messageOf(error) : undefined);
        if (reason === undefined) return [{ index, change }];
        // its ids may be those of the snapshot before
        const again = components.withoutIds(change);
        if (again !== null) return [{ index, change: again }];
        left.push({ index, reason });
        return [];
      });
    }
  }
  return { made: [], left };
}

function* takeEachInSteps(
  given: LoadedSnapshot,
  items: readonly { index: number; change: unknown }[],
  before: readonly Left[],
  { at, components, settings }: { at: string; components: ReplayedComponents; settings: Settings },
): Steps<Taken> {
  let loaded = given;
  const made: Made[] = [];
  const left = [...before];
  for (const { index, change } of items) {
    const one = yield* takeInSteps(loaded, { changes: [change], at, made: {} }, components, settings);
    made.push(...one.made);
    left.push(...one.left.map(({ reason }) => ({ index, reason })));
    loaded = one.made.at(-1)?.after ?? loaded;
  }
  return { made, left };
}

/** Returns the reasons against changes by their place in the list. Throws an error that is not about changes. */
function wrongChanges(error: unknown): Map<number, string> {
  if (!(error instanceof SnapshotError || error instanceof RequestError)) throw error;
  const problems = error instanceof SnapshotError ? error.problems : [error.message];
  const wrong = new Map<number, string>();
  for (const problem of problems) {
    const found = place.exec(problem);
    if (found && !wrong.has(Number(found[1]))) wrong.set(Number(found[1]), problem.slice(found[0].length));
  }
  return wrong;
}

/** Conditions were about the content at the request. */
function withoutConditions(change: unknown): unknown {
  if (!isPlainObject(change) || 'delete' in change) return change;
  const { if: _, ifAbsent: __, ...rest } = change;
  return rest;
}

/** Characters of a change in a report. */
const maxShown = 10_000;

/** Returns a change for a report: only what names its entry, if it is large. */
export function shownChange({ change, ...left }: LeftChange): LeftChange {
  if (JSON.stringify(change).length <= maxShown || !isPlainObject(change)) return { ...left, change };
  const { upsert, patch, entry } = change;
  const { documentId, locale, status } = isPlainObject(entry) ? entry : change;
  const named = { documentId, locale, status };
  if (upsert !== undefined) return { ...left, change: { upsert, entry: named } };
  return { ...left, change: patch !== undefined ? { patch, ...named } : { batch: null } };
}
