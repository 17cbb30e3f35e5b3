/** What a base showed where the changes of a preview change it, so that later changes of the base are noticed. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { plainOf } from '../../changes/diff/compare-values.ts';
import type { EntryKey } from '../../changes/diff/differences.ts';
import { type AttributeValue, EntryReader } from '../../changes/diff/entry-values.ts';
import {
  type ChangeTarget,
  ChangeTargets,
  concerns,
  entriesOfTarget,
  onlyEntryOf,
  rowOfEntry,
} from '../../changes/entries/change-target.ts';
import { operations } from '../../changes/entries/node-patch.ts';
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { segmentOf } from '../../store/store.ts';

/** By entry, as `nameOfKey` writes it: its values by attribute, as `textOf` writes them. Null: the base had no such entry. */
export const knownValues = z.record(z.string(), z.record(z.string(), z.string()).nullable());
export type KnownValues = z.output<typeof knownValues>;

/** The values of an entry by attribute. */
export type Values = ReadonlyMap<string, AttributeValue>;

/** Attributes that follow from when and by whom an entry is written. They are no conflicts. */
const bookkeeping = new Set(['documentId', 'locale', 'createdAt', 'updatedAt', 'publishedAt']);

/** Reads the values of entries in the words of a difference, by entry. */
export class EntryValues {
  readonly loaded: LoadedSnapshot;
  readonly #reader: EntryReader;

  constructor(loaded: LoadedSnapshot) {
    this.loaded = loaded;
    this.#reader = new EntryReader(loaded.store);
  }

  /** Returns null if there is no such entry. Private attributes are left out. */
  of(key: EntryKey): Values | null {
    const { store } = this.loaded;
    const row = rowOfEntry(store, key);
    if (row === undefined) return null;
    const values = this.#reader.values(segmentOf(store, key.type), row);
    for (const [name, value] of values) {
      if (bookkeeping.has(name) || (value.kind === 'relation' && value.isPrivate)) values.delete(name);
    }
    return values;
  }
}

/**
 * Returns the values that are known with those that a list of changes changes in `base`, before the list. What is known
 * already stays.
 */
export function* withKnownInSteps(known: KnownValues, list: unknown, base: LoadedSnapshot): Steps<KnownValues> {
  const result: KnownValues = { ...known };
  const [targets, values] = [new ChangeTargets(base), new EntryValues(base)];
  for (const change of Array.isArray(list) ? list : []) {
    yield;
    const target = targets.of(change);
    if (!target) continue;
    const only = 'delete' in change ? null : onlyEntryOf(target);
    const keys = only ? [only] : entriesOfTarget(base.store, target).map(({ key }) => key);
    for (const key of keys) {
      const name = nameOfKey(key);
      if (result[name] === null) continue;
      const found = values.of(key);
      result[name] = found && { ...textsOf(found, attributesIn(change)), ...result[name] };
    }
  }
  return result;
}

/** Returns the attributes that a change writes; null for all. */
function attributesIn(change: Record<string, unknown>): Set<string> | null {
  if (!('patch' in change)) return null;
  return new Set(operations.flatMap((name) => (isPlainObject(change[name]) ? Object.keys(change[name]) : [])));
}

function textsOf(values: Values, names: ReadonlySet<string> | null): Record<string, string> {
  const chosen = Array.from(values).filter(([name]) => !names || names.has(name));
  return Object.fromEntries(chosen.map(([name, value]) => [name, textOf(value)]));
}

/** Values whose JSON is longer are known by their digest. */
const maxTextLength = 100;

/** Returns a text that is equal for equal values: their JSON, or `#` and a digest of it. */
export function textOf(value: AttributeValue | undefined): string {
  const json = JSON.stringify(plainOf(value));
  return json.length <= maxTextLength ? json : `#${hash('sha256', json).slice(0, 16)}`;
}

/** Returns the value of a text; undefined if only its digest is known. */
export function valueOfText(text: string): unknown {
  return text.startsWith('#') ? undefined : JSON.parse(text);
}

export function nameOfKey({ type, documentId, locale, status }: EntryKey): string {
  return JSON.stringify([type, documentId, locale, status]);
}

export function keyOfName(name: string): EntryKey {
  const [type, documentId, locale, status] = JSON.parse(name);
  return { type, documentId, id: null, locale, status };
}

/** Returns what is known of the entries that lists of changes concern. */
export function* knownOfInSteps(
  known: KnownValues,
  lists: readonly unknown[],
  base: LoadedSnapshot,
): Steps<KnownValues> {
  const reader = new ChangeTargets(base);
  const targets = new Map<string, ChangeTarget[]>();
  for (const change of lists.flat()) {
    yield;
    const target = reader.of(change);
    if (target) mapAt(targets, `${target.type.uid} ${target.documentId}`, () => []).push(target);
  }
  const isUsed = (key: EntryKey) =>
    targets.get(`${key.type} ${key.documentId}`)?.some((target) => concerns(target, key)) ?? false;
  return Object.fromEntries(Object.entries(known).filter(([name]) => isUsed(keyOfName(name))));
}
