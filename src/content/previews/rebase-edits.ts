import type { EntryKey } from '../../changes/diff/differences.ts';
import {
  type ChangeTarget,
  ChangeTargets,
  concerns,
  onlyEntryOf,
  rowOfEntry,
} from '../../changes/entries/change-target.ts';
import { operations } from '../../changes/entries/node-patch.ts';
import { WrittenEntries, type WrittenValues } from '../../changes/entries/written-entries.ts';
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Conflict } from './conflicts.ts';
import { nameOfKey } from './known-values.ts';

/** What of the changes of a preview gives way to the base. */
export class RebaseEdits {
  readonly #base: LoadedSnapshot;
  readonly #targets: ChangeTargets;
  readonly #written: WrittenEntries;
  /** By entry: the attributes whose values are those of the base; null for the whole entry. */
  readonly #taken = new Map<string, { key: EntryKey; attributes: Set<string> | null }>();

  /** The entries in `#taken` by type and documentId. */
  readonly #ofDocuments = new Map<string, EntryKey[]>();

  constructor(base: LoadedSnapshot) {
    this.#base = base;
    this.#targets = new ChangeTargets(base);
    this.#written = new WrittenEntries(base.store, base);
  }

  /** Whether the base's value of an attribute, or its whole entry, is taken. */
  has(key: EntryKey, attribute: string): boolean {
    const known = this.#taken.get(nameOfKey(key));
    return known !== undefined && (known.attributes?.has(attribute) ?? true);
  }

  hasWhole(key: EntryKey): boolean {
    return this.#taken.get(nameOfKey(key))?.attributes === null;
  }

  /** Takes an attribute of the base, or the whole entry. */
  take({ attribute, ...entry }: Omit<EntryKey, 'id'> & Pick<Conflict, 'attribute'>): void {
    const key: EntryKey = {
      type: entry.type,
      documentId: entry.documentId,
      id: null,
      locale: entry.locale,
      status: entry.status,
    };
    const known = this.#taken.get(nameOfKey(key));
    if (!known) mapAt(this.#ofDocuments, `${key.type} ${key.documentId}`, () => []).push(key);
    if (attribute === null) this.#taken.set(nameOfKey(key), { key, attributes: null });
    else if (!known) this.#taken.set(nameOfKey(key), { key, attributes: new Set([attribute]) });
    else known.attributes?.add(attribute);
  }

  /** Returns the lists without what gives way. */
  *applyInSteps(lists: readonly unknown[]): Steps<unknown[][]> {
    const edited: unknown[][] = [];
    for (const list of lists) {
      const left: unknown[] = [];
      for (const change of list as unknown[]) {
        yield;
        const kept = this.#edit(change);
        if (kept !== null) left.push(kept);
      }
      if (left.length > 0) edited.push(left);
    }
    return edited;
  }

  /** Returns a change after the edits of its entry; null if nothing is left of it. */
  #edit(change: unknown): unknown {
    const target = this.#targets.of(change);
    if (!target || !isPlainObject(change)) return this.hasWhole(unknownEntryOf(change)) ? null : change;
    if ('delete' in change) {
      const isNamed = this.#taken.has(nameOfKey(entryNamedBy(target)));
      const taken = this.#ofDocuments.get(`${target.type.uid} ${target.documentId}`) ?? [];
      return isNamed || taken.some((key) => concerns(target, key)) ? null : change;
    }
    const key = entryNamedBy(target);
    const edit = this.#taken.get(nameOfKey(key));
    if (!edit) return change;
    if (!edit.attributes) return null;
    return 'patch' in change
      ? withoutAttributes(change, edit.attributes)
      : this.#withBase(change, key, edit.attributes);
  }

  #withBase(change: WrittenValues, key: EntryKey, attributes: ReadonlySet<string>): unknown {
    const row = rowOfEntry(this.#base.store, key);
    if (row === undefined) return null;
    const stored = this.#written.entry(this.#base.store.schema.type(key.type), row);
    const entry = { ...(change.entry as WrittenValues) };
    for (const name of attributes) entry[name] = stored[name];
    return { ...change, entry };
  }
}

/** Returns a patch without some attributes; null if it changes no other. */
function withoutAttributes(patch: WrittenValues, attributes: ReadonlySet<string>): WrittenValues | null {
  const left: WrittenValues = { ...patch };
  for (const operation of operations) {
    const given = left[operation];
    if (!isPlainObject(given)) continue;
    const kept = Object.entries(given).filter(([name]) => !attributes.has(name));
    if (kept.length > 0) left[operation] = Object.fromEntries(kept);
    else delete left[operation];
  }
  return operations.some((operation) => left[operation] !== undefined) ? left : null;
}

/** Returns the entry of a change; of a deletion of several, one with null for what it leaves out. */
export function entryNamedBy(target: ChangeTarget): EntryKey {
  const { type, documentId, locale = null, published } = target;
  const only = onlyEntryOf(target);
  if (only) return only;
  const status = published === undefined || !type.draftAndPublish ? null : published ? 'published' : 'draft';
  return { type: type.uid, documentId, id: null, locale, status };
}

/** Names the entry of a change whose type, locale or status does not exist. */
export function unknownEntryOf(change: unknown): EntryKey {
  const given = isPlainObject(change) ? change : {};
  const { documentId, locale = null, status = null } = isPlainObject(given.entry) ? given.entry : given;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    type: String(given.upsert ?? given.patch ?? given.delete),
    documentId: text(documentId),
    id: null,
    locale: text(locale),
    status: text(status) as EntryKey['status'],
  };
}
