/** Sort keys that no attribute holds: `$random:SEED`, and the `$count` of a relation. */
import { ValidationError } from '../../core/errors.ts';
import { type EntryType, isRelation } from '../../model/schema/schema.ts';
import type { SortKey } from '../bound.ts';
import type { Binding, UnresolvedSortKey } from '../policies.ts';
import { childPath, type Part, type Path } from '../syntax/location.ts';
import { type BindingContext, mayFollow } from './context.ts';
import { exposesRoleMembers, isCountable } from './populate/populated.ts';

const randomName = '$random';
const countName = '$count';

/** Returns whether a name in a sort is that of a feature, and not of an attribute. */
export function isComputedName({ features }: BindingContext, name: string): boolean {
  return (name === countName && features.has('countSort')) || (name === randomName && features.has('randomSort'));
}

const seeded = /^\$random:([\w-]{1,64})$/;

/**
 * Returns the only key of a random sort, or null for another sort. Throws for a random key beside others or without a
 * seed, and for components, which have no documentId.
 */
export function bindRandomSort(
  { features }: Binding,
  type: EntryType,
  keys: readonly UnresolvedSortKey[],
  { param, url }: Part,
): SortKey | null {
  if (!features.has('randomSort') || !keys.some(({ names }) => names[0] === randomName)) return null;
  const [{ text }] = keys;
  const seed = seeded.exec(text ?? '')?.[1];
  const details = { key: randomName, path: randomName, source: 'query', param, value: text };
  if (keys.length > 1 || seed === undefined) {
    const message = `Invalid key ${randomName} in ${url}: expected ${randomName}:SEED alone, with a seed of 1 to 64 letters, digits, - and _`;
    throw new ValidationError(message, details);
  }
  if (!type.attributes.has('documentId')) {
    throw new ValidationError(`Invalid key ${randomName} in ${url}: components have no random order`, details);
  }
  return { path: ['documentId'], by: { kind: 'hash', seed }, descending: false };
}

export const byCount = { kind: 'count' } as const;

/** Returns whether a key ends in `$count` after the name of a relation. */
export function countsEntries({ features }: Binding, { names }: UnresolvedSortKey): boolean {
  return names.length > 1 && names.at(-1) === countName && features.has('countSort');
}

/**
 * Follows the names before `$count`: relations to one entry, then one to many that `populate` can count. Throws for any
 * other name.
 */
export function bindCountPath(binding: Binding, root: EntryType, { names, text }: UnresolvedSortKey, part: Part) {
  const { budget, policies, schema } = binding;
  budget.checkDepth(part.param, names);
  budget.countSortKey(part.param, names.length);
  let type = root;
  let parent: Path = null;
  return names.slice(0, -1).map((name, i): string => {
    const attribute = type.attributes.get(name);
    const wrongName = () => policies.errors.wrongName(binding, type, { part, name, parent, use: 'sort', value: text });
    if (!attribute || attribute.private || !isRelation(attribute) || !mayFollow(binding, attribute)) throw wrongName();
    const isCounted = i === names.length - 2;
    const isOfKind = isCounted
      ? attribute.kind === 'relation' && isCountable(attribute) && !exposesRoleMembers(type, attribute)
      : policies.filter.leadsThrough(attribute);
    if (attribute.many !== isCounted || !isOfKind) {
      const path = childPath(parent, name);
      const message = `Invalid key ${name} at ${path}: $count takes a relation to many entries, after relations to one`;
      throw new ValidationError(message, { key: name, path, source: 'query', param: part.param, value: text });
    }
    type = schema.type(attribute.target);
    parent = childPath(parent, name);
    return isCounted ? attribute.name : policies.filter.boundName(attribute);
  });
}
