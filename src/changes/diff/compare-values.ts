import type { RelationTargets, ValueChange } from './differences.ts';
import type { AttributeValue, AttributeValues, ComponentValue, RelationValue } from './entry-values.ts';

/** Returns the differences between the values of two entries or components; their paths begin with `path`. */
export function compareValues(before: AttributeValues, after: AttributeValues, path = ''): ValueChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return Array.from(names).flatMap((name) => compareValue(before.get(name), after.get(name), path + name));
}

function compareValue(
  before: AttributeValue | undefined,
  after: AttributeValue | undefined,
  path: string,
): ValueChange[] {
  if (before?.kind === 'components' && after?.kind === 'components') {
    return before.many || after.many
      ? compareItems(before.items, after.items, path)
      : compareItem(before.items[0], after.items[0], path);
  }
  if (isSameValue(before, after)) return [];
  if (isPrivate(before) || isPrivate(after)) return [{ path, kind: 'private', before: null, after: null }];
  if (isRelation(before) && isRelation(after)) {
    return [{ path, kind: 'relation', before: targetsOf(before), after: targetsOf(after) }];
  }
  return [{ path, kind: 'value', before: plainOf(before), after: plainOf(after) }];
}

/** Whether a value is that of a relation, or missing. */
function isRelation(value: AttributeValue | undefined): value is RelationValue | undefined {
  return value === undefined || value.kind === 'relation';
}

function targetsOf(value: RelationValue | undefined): RelationTargets {
  return value?.many ? value.targets : (value?.targets[0] ?? null);
}

/** An attribute that a type lacks equals one without a value. */
function isSameValue(before: AttributeValue | undefined, after: AttributeValue | undefined): boolean {
  if (isEmpty(before) || isEmpty(after)) return isEmpty(before) && isEmpty(after);
  if (before?.kind === 'scalar' && after?.kind === 'scalar') return before.json === after.json;
  if (before?.kind !== 'relation' || after?.kind !== 'relation') return false;
  return JSON.stringify(before.targets) === JSON.stringify(after.targets);
}

/** Items that both lists begin or end with are equal. Those between are compared by their positions. */
function compareItems(
  before: readonly ComponentValue[],
  after: readonly ComponentValue[],
  path: string,
): ValueChange[] {
  const shorter = Math.min(before.length, after.length);
  const isEqual = (i: number, j: number) => compareItem(before[i], after[j], path).length === 0;
  let start = 0;
  while (start < shorter && isEqual(start, start)) start++;
  let end = 0;
  while (end < shorter - start && isEqual(before.length - 1 - end, after.length - 1 - end)) end++;
  const [old, current] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const longer = Math.max(old.length, current.length);
  return Array.from({ length: longer }, (_, i) => compareItem(old[i], current[i], `${path}[${start + i}]`)).flat();
}

function compareItem(
  before: ComponentValue | undefined,
  after: ComponentValue | undefined,
  path: string,
): ValueChange[] {
  if (!before && !after) return [];
  if (before && before.uid === after?.uid) return compareValues(before.values, after.values, `${path}.`);
  return [{ path, kind: 'value', before: before ? plainItem(before) : null, after: after ? plainItem(after) : null }];
}

function isPrivate(value: AttributeValue | undefined): boolean {
  return value?.kind === 'relation' && value.isPrivate;
}

function isEmpty(value: AttributeValue | undefined): boolean {
  switch (value?.kind) {
    case undefined:
      return true;
    case 'scalar':
      return value.json === 'null';
    case 'relation':
      return value.targets.length === 0;
    case 'components':
      return value.items.length === 0;
    default:
      return value satisfies never;
  }
}

/** Returns a value as plain data. Links of private attributes are left out. */
export function plainOf(value: AttributeValue | undefined): unknown {
  switch (value?.kind) {
    case undefined:
      return null;
    case 'scalar':
      return JSON.parse(value.json);
    case 'relation':
      return targetsOf(value);
    case 'components':
      return value.many ? value.items.map(plainItem) : value.items[0] ? plainItem(value.items[0]) : null;
    default:
      return value satisfies never;
  }
}

function plainItem({ uid, isTagged, values }: ComponentValue): object {
  const shown = Array.from(values).filter(([, value]) => !isPrivate(value));
  const plain = Object.fromEntries(shown.map(([name, value]) => [name, plainOf(value)]));
  return isTagged ? { __component: uid, ...plain } : plain;
}
