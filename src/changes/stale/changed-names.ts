/** Fewer changes than this are kept beside the names that they change. */
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

/** Returns a set without the names `removed`, and then with the names `added`; the set itself if it has these names. */
export function changedNames(
  names: ReadonlySet<string>,
  removed: Iterable<string>,
  added: Iterable<string>,
): ReadonlySet<string> {
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
  // copied after many changes, the names cost each change little
  return more.size + fewer.size > Math.max(fewChanges, base.size / 8) ? new Set(changed) : changed;
}
