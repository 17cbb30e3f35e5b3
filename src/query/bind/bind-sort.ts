import { type EntryType, isScalar } from '../../model/schema/schema.ts';
import type { SortKey } from '../bound.ts';
import type { Binding, UnresolvedSortKey } from '../policies.ts';
import { childPath, type Part, type Path } from '../syntax/location.ts';
import type { SortNode } from '../syntax/sort-nodes.ts';
import { findAttribute, leadsOn } from './find-attribute.ts';

/** Binds `sort` of a populated type. */
export function bindSort(binding: Binding, type: EntryType, node: SortNode, part: Part): SortKey[] {
  binding.policies.request.checkSortNames(binding, type, node, part.param);
  return bindCheckedSort(binding, type, node, part);
}

/** Binds a sort whose names have been checked. */
export function bindCheckedSort(binding: Binding, type: EntryType, node: SortNode, part: Part): SortKey[] {
  return binding.policies.sort.read(binding.schema, type, node, part).map((key) => {
    const path = bindPath(binding, type, key, part);
    return { path, descending: isDescending(binding, key, part) };
  });
}

function isDescending({ policies }: Binding, { names, order, text }: UnresolvedSortKey, part: Part): boolean {
  if (order === undefined || order === null) return false;
  const name = String(order).toLowerCase();
  if (name !== 'asc' && name !== 'desc') throw policies.errors.wrongOrder(part, names.join('.'), text ?? order);
  return name === 'desc';
}

/** Follows the names through relations to a scalar attribute. Returns the path as it is bound. */
function bindPath(binding: Binding, type: EntryType, { names, text }: UnresolvedSortKey, part: Part): string[] {
  binding.budget.checkDepth(part.param, names);
  binding.budget.countSortKey(part.param, names.length);
  let current = type;
  let parent: Path = null;
  return names.map((name, i) => {
    const nameUse = { part, name, parent, use: 'sort', value: text } as const;
    const attribute = findAttribute(binding, current, nameUse);
    const isLast = i === names.length - 1;
    // the schema's own text: a slice of the query string would keep all of it in memory
    if (isScalar(attribute) && isLast) return attribute.name;
    if (isScalar(attribute) || isLast || !leadsOn(binding, attribute)) {
      throw binding.policies.errors.wrongName(binding, current, nameUse);
    }
    current = binding.schema.type(attribute.target);
    parent = childPath(parent, name);
    return binding.policies.filter.boundName(attribute);
  });
}
