import { uploadNamesOf } from '../../load/uploaded-files.ts';
import { fileType } from '../../model/schema/schema.ts';
import { jsonOf, readText } from '../../store/read-value.ts';
import { liveRowsWithText } from '../../store/rows-of-document.ts';
import { rowOfId, type Segment } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import type { Batch } from './batch.ts';
import type { ChangedRows } from './changed-rows.ts';
import { idOfRow } from './stored-links.ts';

/** Up to this many changes always stay beside the names that they change. */
const fewChanges = 1024;

/**
 * A set of names as changes to an older set, which stays as it is. `changedNames` takes a time that grows with the
 * changes, not with the names: a copy of 1,000,000 names takes half a second.
 */
class ChangedNames implements ReadonlySet<string> {
  readonly size: number;
  readonly base: ReadonlySet<string>;
  /** None of them is in the base. */
  readonly added: ReadonlySet<string>;
  /** All of them are in the base. */
  readonly removed: ReadonlySet<string>;

  constructor(base: ReadonlySet<string>, added: ReadonlySet<string>, removed: ReadonlySet<string>) {
    this.base = base;
    this.added = added;
    this.removed = removed;
    this.size = base.size + added.size - removed.size;
  }

  has(name: string): boolean {
    return this.added.has(name) || (this.base.has(name) && !this.removed.has(name));
  }

  *keys(): SetIterator<string> {
    for (const name of this.base) if (!this.removed.has(name)) yield name;
    yield* this.added;
  }

  values(): SetIterator<string> {
    return this.keys();
  }

  [Symbol.iterator](): SetIterator<string> {
    return this.keys();
  }

  *entries(): SetIterator<[string, string]> {
    for (const name of this) yield [name, name];
  }

  forEach(visit: (name: string, key: string, names: ReadonlySet<string>) => void): void {
    for (const name of this) visit(name, name, this);
  }
}

/** Names that a set loses, and then names that it gets. */
export interface NameChanges {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export const noNameChanges: NameChanges = { removed: [], added: [] };

/** Returns a set after changes; the set itself if it has the same names. */
export function changedNames(names: ReadonlySet<string>, { removed, added }: NameChanges): ReadonlySet<string> {
  if (removed.length === 0 && added.length === 0) return names;
  const known = names instanceof ChangedNames ? names : null;
  const base = known?.base ?? names;
  const more = new Set(known?.added);
  const fewer = new Set(known?.removed);
  for (const name of removed) if (!more.delete(name) && base.has(name)) fewer.add(name);
  for (const name of added) if (!fewer.delete(name) && !base.has(name)) more.add(name);
  const isSame = (some: ReadonlySet<string>, others: ReadonlySet<string> | undefined) =>
    some.size === (others?.size ?? 0) && [...some].every((name) => others!.has(name));
  if (isSame(more, known?.added) && isSame(fewer, known?.removed)) return names;
  const changed = new ChangedNames(base, more, fewer);
  // a copy costs little per change if it follows many changes
  return more.size + fewer.size > Math.max(fewChanges, base.size / 8) ? new Set(changed) : changed;
}

/**
 * Returns how a batch changes the names of uploaded files. `added` are those of the files that the batch writes. Names
 * of files that it deletes or replaces go, unless another file with the same hash or address has them.
 */
export function changedUploads(rows: ChangedRows, { entities }: Batch, added: ReadonlySet<string>): NameChanges {
  const changed = entities.filter(({ type }) => type === fileType);
  if (changed.length === 0) return noNameChanges;
  const segment = segmentOf(rows.store, fileType);
  const ids = new Set(changed.map(({ id }) => id));
  const removed = new Set<string>();
  for (const id of ids) {
    const row = rowOfId(segment, id);
    if (row === undefined) continue;
    const names = storedNames(segment, row).filter((name) => !added.has(name));
    const kept = names.length === 0 ? [] : alikeRows(segment, row).filter((other) => !ids.has(idOfRow(segment, other)));
    const shared = new Set(kept.flatMap((other) => storedNames(segment, other)));
    for (const name of names) if (!shared.has(name)) removed.add(name);
  }
  return { removed: [...removed], added: [...added] };
}

/** The live rows with the hash or the address of a file. */
function alikeRows(segment: Segment, row: number): number[] {
  return ['hash', 'url'].flatMap((attribute) => {
    const text = readText(segment, row, attribute);
    return text === null ? [] : liveRowsWithText(segment, attribute, text);
  });
}

/** The names of a file in the store. Formats with rewritten addresses have none. */
function storedNames(segment: Segment, row: number): string[] {
  const [hash, ext, url] = ['hash', 'ext', 'url'].map((attribute) => readText(segment, row, attribute) ?? undefined);
  return uploadNamesOf({ hash, ext, url, formats: storedFormats(segment, row) });
}

function storedFormats(segment: Segment, row: number): unknown {
  const { rows, at } = jsonOf(segment, row);
  return rows.names.includes('formats') ? rows.value(at, 'formats') : null;
}
