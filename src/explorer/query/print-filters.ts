import { type FilterChip, type FilterGroup, type FilterItem, haveOwnKeys, keyOfChip } from './explored-query.ts';
import type { Parameter } from './parameters.ts';

/**
 * Returns the parameters of filters beside those that are kept. One key cannot be given twice, so items whose keys are
 * taken become members of `$and`. So do the kept parameters, as one member, if they do not fit beside the items.
 */
export function filterParameters(items: readonly FilterItem[], kept: readonly Parameter[]): Parameter[] {
  const taken = new Set<string>();
  const direct: Parameter[] = [];
  const members: FilterItem[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (key === '$and' || taken.has(key)) members.push(...membersOf(item));
    else direct.push(...itemParameters(item, ['filters']));
    taken.add(key);
  }
  const and = members.flatMap((item, i) => itemParameters(item, ['filters', '$and', String(i)]));
  const printed = placed(items, direct, and);
  const collides = kept.some(
    ({ path }) => printed.some((other) => cannotMerge(path, other.path)) || (members.length > 0 && path[1] === '$and'),
  );
  if (!collides) return [...printed, ...kept];
  const number = String(members.length);
  const wrapped = kept.map(({ path: [name, ...rest], value }) =>
    rest.length === 0 ? { path: [name], value } : { path: [name, '$and', number, ...rest], value },
  );
  return [...printed, ...wrapped];
}

/** Returns whether two paths part where one of them ends or is a list, so that no object has both. */
function cannotMerge(path: readonly string[], other: readonly string[]): boolean {
  const length = path.findIndex((part, i) => part !== other[i]);
  return length < 0 || [path[length], other[length]].some((part) => part === undefined || /^\d*$/.test(part));
}

/** Puts `$and` where the group is among the items, or at the end. */
function placed(items: readonly FilterItem[], direct: readonly Parameter[], and: readonly Parameter[]): Parameter[] {
  const position = items.findIndex((item) => keyOf(item) === '$and');
  if (position < 0) return [...direct, ...and];
  const before = new Set(items.slice(0, position).map(keyOf));
  const length = direct.findIndex(({ path }) => !before.has(keyOfPath(path)));
  const end = length < 0 ? direct.length : length;
  return [...direct.slice(0, end), ...and, ...direct.slice(end)];
}

function keyOf(item: FilterItem): string {
  return item.kind === 'group' ? item.operator : keyOfChip(item);
}

/** Returns the key of the item that a parameter in `filters` belongs to. */
function keyOfPath([, ...path]: readonly string[]): string {
  const end = path.findIndex((part) => part.startsWith('$'));
  return path.slice(0, end + 1).join(' ');
}

function membersOf(item: FilterItem): readonly FilterItem[] {
  return item.kind === 'group' && item.operator === '$and' ? item.chips : [item];
}

function itemParameters(item: FilterItem, at: readonly string[]): Parameter[] {
  return item.kind === 'chip' ? chipParameters(item, at) : groupParameters(item, [...at, item.operator]);
}

function groupParameters({ operator, chips }: FilterGroup, at: readonly string[]): Parameter[] {
  if (operator === '$not') {
    if (haveOwnKeys(chips)) return chips.flatMap((chip) => chipParameters(chip, at));
    return chips.flatMap((chip, i) => chipParameters(chip, [...at, '$and', String(i)]));
  }
  return chips.flatMap((chip, i) => chipParameters(chip, [...at, String(i)]));
}

function chipParameters({ path, operator, value }: FilterChip, at: readonly string[]): Parameter[] {
  const here = [...at, ...path, operator];
  if (value === null || typeof value === 'string') return [{ path: here, value }];
  if (value.length === 0) return [{ path: here, value: '' }];
  return value.map((item, i) => ({ path: [...here, String(i)], value: item }));
}
