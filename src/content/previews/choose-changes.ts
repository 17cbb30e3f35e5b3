/** Chooses the changes of a preview that are applied to its base. */

import { nameOf } from '../../changes/diff/describe-differences.ts';
import type { EntryKey } from '../../changes/diff/differences.ts';
import type { AttributeValue } from '../../changes/diff/entry-values.ts';
import { type ChangeTarget, ChangeTargets, onlyEntryOf, rowOfEntry } from '../../changes/entries/change-target.ts';
import { RequestError } from '../../core/errors.ts';
import { mapAt } from '../../core/map-at.ts';
import { preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { entryOf } from './conflicts.ts';
import { type EntryValues, nameOfKey } from './known-values.ts';
import type { PendingApply } from './preview-changes.ts';

/** Names the entries of a document: those of every locale and status, unless it says which. */
export interface DocumentChoice {
  readonly type: string;
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
}

export interface ChosenChanges {
  /** The chosen changes of each list. */
  readonly lists: readonly unknown[];
  readonly taken: PendingApply['taken'];
  /** The entries that the chosen changes write, by name. */
  readonly written: ReadonlyMap<string, EntryKey>;
  readonly targets: readonly ChangeTarget[];
  readonly applied: number;
  readonly left: number;
}

/**
 * Chooses the changes of some documents, or all of them (null). Throws a RequestError with the status 422 for a document
 * without changes, and for a part of the entries that one change deletes.
 */
export function* chooseChangesInSteps(
  lists: readonly unknown[],
  documents: readonly DocumentChoice[] | null,
  content: LoadedSnapshot,
): Steps<ChosenChanges> {
  const reader = new ChangeTargets(content);
  const unused = new Set(documents);
  const choices = new Map<string, DocumentChoice[]>();
  for (const choice of documents ?? []) {
    mapAt(choices, `${choice.type} ${choice.documentId}`, () => []).push(choice);
  }
  const written = new Map<string, EntryKey>();
  const targets: ChangeTarget[] = [];
  const taken: number[][] = [];
  let total = 0;
  for (const list of lists) {
    const positions: number[] = [];
    for (const [at, change] of (list as unknown[]).entries()) {
      yield;
      total++;
      const target = reader.of(change);
      const ofDocument = target && choices.get(`${target.type.uid} ${target.documentId}`);
      const matching = (ofDocument ?? []).filter((choice) => matches(choice, target!));
      for (const choice of matching) unused.delete(choice);
      if (documents && matching.length === 0) continue;
      positions.push(at);
      if (!target) continue;
      targets.push(target);
      const key = onlyEntryOf(target);
      if (key && !('delete' in (change as object))) written.set(nameOfKey(key), key);
    }
    taken.push(positions);
  }
  const [missing] = unused;
  if (missing) throw unprocessable(`The preview has no changes of ${describeChoice(missing)}`, { document: missing });
  const applied = taken.reduce((count, { length }) => count + length, 0);
  const chosen = lists.map((list, i) => taken[i].map((at) => (list as unknown[])[at]));
  return { lists: chosen.filter(({ length }) => length > 0), taken, written, targets, applied, left: total - applied };
}

/**
 * Whether a choice of a document chooses a change of it. Throws a RequestError if it names a part of the entries that one
 * change deletes.
 */
function matches(choice: DocumentChoice, { type, documentId, locale, published }: ChangeTarget): boolean {
  const status = published === undefined ? undefined : published ? 'published' : 'draft';
  const differs = (chosen: string | undefined, own: string | null | undefined) =>
    chosen !== undefined && own !== undefined && own !== chosen;
  if (differs(choice.locale, locale) || differs(choice.status, status)) return false;
  const isPart =
    (choice.locale !== undefined && locale === undefined && type.localized) ||
    (choice.status !== undefined && published === undefined && type.draftAndPublish);
  if (!isPart) return true;
  const message = `The preview deletes more entries of ${preview(documentId)} by one change: choose the document without locale and status`;
  throw unprocessable(message, { document: choice });
}

/**
 * Throws a RequestError with the status 422 if a chosen entry refers to an entry that only changes add that are not chosen.
 * `all` is the content with all changes of the preview.
 */
export function* checkReferencesInSteps(
  { written }: ChosenChanges,
  base: LoadedSnapshot,
  all: EntryValues,
): Steps<void> {
  for (const key of written.values()) {
    yield;
    for (const [attribute, target] of relationsIn(all.of(key) ?? new Map())) {
      if (written.has(nameOfKey(target)) || rowOfEntry(base.store, target) !== undefined) continue;
      const message = `${describeKey(key)} refers to ${describeKey(target)} in "${attribute}", which the preview adds and which is not chosen: choose both`;
      throw unprocessable(message, { document: entryOf(key), attribute, refersTo: entryOf(target) });
    }
  }
}

/** Yields the targets of relations of an entry, with those of its components, each with its attribute. */
function* relationsIn(values: ReadonlyMap<string, AttributeValue>): Generator<[attribute: string, target: EntryKey]> {
  for (const [name, value] of values) {
    if (value.kind === 'relation') for (const target of value.targets) yield [name, target];
    if (value.kind !== 'components') continue;
    for (const item of value.items) for (const [, target] of relationsIn(item.values)) yield [name, target];
  }
}

function describeKey(key: EntryKey): string {
  return `${key.type} ${nameOf(key)}`;
}

function describeChoice({ type, documentId, locale, status }: DocumentChoice): string {
  const only = [locale, status].filter((part) => part !== undefined).join(', ');
  return `the ${type} ${preview(documentId)}${only && ` (${only})`}`;
}

export function unprocessable(message: string, details: object): RequestError {
  return new RequestError(422, 'ValidationError', message, details);
}
