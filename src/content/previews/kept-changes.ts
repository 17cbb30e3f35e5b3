/** Prepares a list of changes to be applied again and again, over whatever the base of a preview serves. */
import { SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';

/** The ids of components that previews add: above those that a base counts up to, so that both stay apart. */
export const firstAddedId = 2 ** 51;
/** How many components one request can add: each takes some bytes of its body. */
const idsOfRequest = 2 ** 23;

/**
 * Returns changes as a preview keeps them. Conditions are left out: they were about the content at the request. Each
 * change has its time, and each component that a patch adds has an id, so that later changes still find it after the base
 * has got others. Values that are no changes stay as they are.
 */
export function keptChanges(changes: unknown, revision: number, at = new Date().toISOString()): unknown {
  if (!Array.isArray(changes)) return changes;
  const ids = new AddedIds(Math.max(firstAddedId + revision * idsOfRequest, greatestAddedId(changes) + 1));
  return changes.map((change: unknown) => {
    if (!isPlainObject(change) || !('upsert' in change || 'patch' in change)) return change;
    const { if: _, ifAbsent: __, ...kept } = change;
    return 'patch' in kept ? { at, ...ids.number(kept) } : { at, ...kept };
  });
}

/** Whether some changes require something of the content before them. */
export function hasConditions(changes: unknown): boolean {
  return Array.isArray(changes) && changes.some((change: unknown) => conditionOf(change) !== undefined);
}

function conditionOf(change: unknown): string | undefined {
  return isPlainObject(change) ? ['if', 'ifAbsent'].find((name) => name in change) : undefined;
}

/** Throws a SnapshotError if changes that are put with a preview have conditions, because nothing would check them. */
export function refuseConditions(changes: unknown): void {
  if (!Array.isArray(changes)) return;
  const problems = changes.flatMap((change: unknown, i) => {
    const name = conditionOf(change);
    return name === undefined ? [] : [`changes[${i}]: "${name}" needs POST /_changes, after the preview has been put`];
  });
  if (problems.length > 0) throw new SnapshotError(problems.slice(0, 20), problems.length, 'batch');
}

class AddedIds {
  #next: number;

  constructor(first: number) {
    this.#next = first;
  }

  /** Returns a patch of an entry or component in which all added components have an id. */
  number(patch: Record<string, unknown>): Record<string, unknown> {
    const { add, components } = patch;
    return {
      ...patch,
      ...(isPlainObject(add) && { add: mapValues(add, (item) => this.#added(item)) }),
      ...(isPlainObject(components) && { components: mapValues(components, (item) => this.#patched(item)) }),
    };
  }

  #added(item: unknown): unknown {
    if (!isPlainObject(item) || !isPlainObject(item.component)) return item;
    const { component } = item;
    return (component.id ?? null) === null ? { ...item, component: { ...component, id: this.#next++ } } : item;
  }

  #patched(item: unknown): unknown {
    return isPlainObject(item) ? this.number(item) : item;
  }
}

/** Maps the values of an object, and the items of those that are lists. */
function mapValues(object: Record<string, unknown>, map: (item: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, Array.isArray(value) ? value.map(map) : map(value)]),
  );
}

/** Returns the greatest id of a preview's component that patches name or add, as in changes that were kept before. */
function greatestAddedId(changes: readonly unknown[]): number {
  let greatest = 0;
  const visit = (value: unknown) => {
    if (!isPlainObject(value)) return;
    const added = isPlainObject(value.add) ? Object.values(value.add).flat() : [];
    for (const item of added) {
      const id = isPlainObject(item) && isPlainObject(item.component) ? item.component.id : undefined;
      if (Number.isSafeInteger(id) && (id as number) >= firstAddedId) greatest = Math.max(greatest, id as number);
    }
    if (isPlainObject(value.components)) for (const item of Object.values(value.components).flat()) visit(item);
  };
  for (const change of changes) visit(change);
  return greatest;
}
