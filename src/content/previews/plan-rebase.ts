import { plainOf } from '../../changes/diff/compare-values.ts';
import { nameOf } from '../../changes/diff/describe-differences.ts';
import type { EntryKey } from '../../changes/diff/differences.ts';
import { type ChangeTarget, ChangeTargets, entriesOfTarget, rowOfEntry } from '../../changes/entries/change-target.ts';
import { conflict, SnapshotError } from '../../core/errors.ts';
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { unprocessable } from './choose-changes.ts';
import { addedSinceInSteps, type Conflict, detailsOf, entryOf, findConflictsInSteps } from './conflicts.ts';
import { EntryValues, type KnownValues, keyOfName, nameOfKey, valueOfText, withKnownInSteps } from './known-values.ts';
import { asConflict, type PreviewMaker, type PutPreview } from './made-preview.ts';
import type { PreviewFile } from './preview-changes.ts';
import { entryNamedBy, RebaseEdits, unknownEntryOf } from './rebase-edits.ts';

/** Decides conflicts: all of them, those of an entry or document, or one. */
export interface Resolution {
  readonly type: string;
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
  readonly attribute?: string;
  readonly take: 'base' | 'preview';
}

/** Null: no conflict may be left to decide. */
export type Resolve = 'base' | 'preview' | readonly Resolution[] | null;

export interface RebaseParts {
  readonly put: PutPreview;
  readonly maker: PreviewMaker;
  readonly file: PreviewFile;
  readonly base: LoadedSnapshot;
}

export interface RebasePlan extends Pick<PreviewFile, 'lists'> {
  readonly known: KnownValues;
  /** The numbers of conflicts by how they were decided. */
  readonly taken: { readonly base: number; readonly preview: number };
}

/**
 * Plans to take the changes of a preview over to the base as it is now. Throws a RequestError that lists the conflicts if
 * some are not decided.
 */
export function* planRebaseInSteps(parts: RebaseParts, resolve: Resolve): Steps<RebasePlan> {
  const { put, maker, file, base } = parts;
  const { conflicts, unfit, edits } = yield* conflictsInSteps(parts);
  const decided = decide([...unfit, ...conflicts], resolve, put.name);
  const lost = decided.find(([one, take]) => take === 'preview' && unfit.includes(one));
  if (lost) throw cannotKeep(lost[0]);
  for (const [one, take] of decided) if (take === 'base') edits.take(one);
  const lists = yield* edits.applyInSteps(file.lists);
  try {
    yield* maker.applyInSteps(lists, base);
  } catch (error) {
    throw asConflict(put, error);
  }
  let known: KnownValues = {};
  for (const list of lists) known = yield* withKnownInSteps(known, list, base);
  const count = (take: 'base' | 'preview') => decided.filter(([, taken]) => taken === take).length;
  return { lists, known, taken: { base: count('base'), preview: count('preview') } };
}

interface RebaseConflicts {
  readonly conflicts: readonly Conflict[];
  /** Conflicts in which the changes of the preview do not fit the base. */
  readonly unfit: readonly Conflict[];
  /** What gives way to the base without a decision, because only the base has changed it. */
  readonly edits: RebaseEdits;
}

function* conflictsInSteps(parts: RebaseParts): Steps<RebaseConflicts> {
  const { file, base } = parts;
  const edits = new RebaseEdits(base);
  const { left, problems } = yield* fittingInSteps(parts);
  const [now, after] = [new EntryValues(base), new EntryValues(left)];
  const { known } = file;
  if (!known) return { conflicts: [], unfit: problems.map((one) => unfitConflict(one, {}, now)), edits };
  const { conflicts, stale } = yield* findConflictsInSteps(Object.keys(known).map(keyOfName), known, now, after);
  for (const { key, attribute } of stale) edits.take({ ...entryOf(key), attribute });
  const added = yield* addedSinceInSteps(file.lists, known, now);
  for (const { key, target } of problems) {
    // both have deleted the document
    if (target?.isDeletion && entriesOfTarget(base.store, target).length === 0)
      edits.take({ ...entryOf(key), attribute: null });
  }
  const others = problems.filter(({ key }) => !edits.hasWhole(key));
  return { conflicts: [...conflicts, ...added], unfit: others.map((one) => unfitConflict(one, known, now)), edits };
}

/** A change that does not fit the base. */
interface Misfit {
  readonly key: EntryKey;
  /** Null: the change as a whole. */
  readonly attribute: string | null;
  /** Null if the base lacks the type, locale or status. */
  readonly target: (ChangeTarget & { readonly isDeletion: boolean }) | null;
  readonly problem: string;
}

/** Returns the base with all that fits it. */
function* fittingInSteps({
  put,
  maker,
  file,
  base,
}: RebaseParts): Steps<{ left: LoadedSnapshot; problems: readonly Misfit[] }> {
  const targets = new ChangeTargets(base);
  const found = new Map<string, Misfit>();
  const edits = new RebaseEdits(base);
  const leaveOut = (change: unknown, attribute: string | null, problem: string) => {
    const target = targets.of(change);
    const key = target ? entryNamedBy(target) : unknownEntryOf(change);
    const at = attribute !== null && edits.has(key, attribute) ? null : attribute;
    if (edits.hasWhole(key)) return;
    edits.take({ ...entryOf(key), attribute: at });
    const isDeletion = isPlainObject(change) && 'delete' in change;
    found.set(`${nameOfKey(key)} ${at}`, { key, attribute: at, target: target && { ...target, isDeletion }, problem });
  };
  for (const change of file.lists.flat()) {
    if (targets.of(change) === null) leaveOut(change, null, 'the base has no such type, locale or status');
    yield;
  }
  for (;;) {
    const tried = yield* edits.applyInSteps(file.lists);
    try {
      return { left: yield* maker.applyInSteps(tried, base), problems: [...found.values()] };
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const { size } = found;
      for (const problem of error.problems) {
        const change = changeAt(tried, problem);
        const attribute = /, attribute (\w+)|\.(?:connect|disconnect|order|remove|components|add|move)\.(\w+)/.exec(
          problem,
        );
        if (change !== undefined) leaveOut(change, attribute?.[1] ?? attribute?.[2] ?? null, problem);
      }
      if (found.size === size) throw asConflict(put, error);
    }
  }
}

function unfitConflict({ key, attribute, problem }: Misfit, known: KnownValues, now: EntryValues): Conflict {
  const before = known[nameOfKey(key)];
  const isGone = before && rowOfEntry(now.loaded.store, key) === undefined;
  const values = attribute === null ? null : now.of(key);
  const earlier = attribute === null ? undefined : before?.[attribute];
  const first = earlier === undefined ? undefined : valueOfText(earlier);
  return {
    ...entryOf(key),
    kind: isGone ? 'gone' : 'unfit',
    attribute: isGone ? null : attribute,
    ...(first !== undefined && { before: first }),
    base: values ? plainOf(values.get(attribute!)) : null,
    preview: null,
    message: `${nameOf(key)}: ${problem}`,
  };
}

/** Returns the change in which a problem is; undefined if the problem names none. */
function changeAt(lists: readonly (readonly unknown[])[], problem: string): unknown {
  const found = /^(?:lists\[(\d+)\], )?changes\[(\d+)\]/.exec(problem);
  return found ? lists[Number(found[1] ?? 0)]?.[Number(found[2])] : undefined;
}

/** Returns how each conflict is decided. Throws a RequestError if one is not, or if a resolution decides none. */
function decide(conflicts: readonly Conflict[], resolve: Resolve, name: string): [Conflict, 'base' | 'preview'][] {
  const resolutions = Array.isArray(resolve) ? (resolve as readonly Resolution[]) : [];
  const unused = new Set(resolutions);
  const ofDocuments = new Map<string, Resolution[]>();
  for (const resolution of resolutions) {
    mapAt(ofDocuments, `${resolution.type} ${resolution.documentId}`, () => []).push(resolution);
  }
  const open: Conflict[] = [];
  const decided: [Conflict, 'base' | 'preview'][] = [];
  for (const one of conflicts) {
    const ofDocument = ofDocuments.get(`${one.type} ${one.documentId}`) ?? [];
    const matching = ofDocument.filter((resolution) => decides(resolution, one));
    for (const resolution of matching) unused.delete(resolution);
    // the most exact resolution counts
    const exact = matching.toSorted((a, b) => Object.keys(b).length - Object.keys(a).length)[0];
    const take = typeof resolve === 'string' ? resolve : exact?.take;
    if (!take) open.push(one);
    else decided.push([one, take]);
  }
  const [missing] = unused;
  if (missing) throw unprocessable(`No conflict is decided by ${JSON.stringify(missing)}`, { resolution: missing });
  if (open.length === 0) return decided;
  const message = `The base and the preview "${name}" have changed the same: ${open[0].message}. Send "resolve" with "base" or "preview"`;
  throw conflict(message, detailsOf(conflicts));
}

/** Whether a resolution of a document decides a conflict of it. */
function decides(resolution: Resolution, one: Conflict): boolean {
  return (['locale', 'status', 'attribute'] as const).every(
    (name) => resolution[name] === undefined || resolution[name] === one[name],
  );
}

function cannotKeep(one: Conflict) {
  return unprocessable(
    `The preview cannot win, because its changes do not fit the base: ${one.message}. Take the base, or upsert the entry into the preview`,
    { count: 1, conflicts: [one] },
  );
}
