import { invalidKey, ValidationError } from '../errors.ts';
import { type Attribute, type EntryType, isRelation, isScalar } from '../schema/schema.ts';
import { type Binding, boundName, findAttribute, followRelation, join, type Path } from './binding.ts';
import type { SortKey } from './bound.ts';
import { checkSortNames, isStatusKey, ordersSomething } from './check-names.ts';
import { isObject } from './raw-value.ts';

/** Binds `sort`: `a`, `a:desc`, `a.b,c`, a list of those, `{a: "desc"}`, `{a: {b: "asc"}}`, or a list of objects. */
export function bindSort(binding: Binding, type: EntryType, value: unknown, param = 'sort'): SortKey[] {
  checkSortNames(binding, type, value, param);
  return buildSort(binding, type, value, param);
}

/** Binds a sort whose names have been checked. */
export function buildSort(binding: Binding, type: EntryType, value: unknown, param = 'sort'): SortKey[] {
  const { dropsEmptyParts } = binding.dialect;
  if (dropsEmptyParts && !ordersSomething(value)) return [];
  return sortItems(value, param, dropsEmptyParts)
    .filter(({ path }) => !dropsEmptyParts || !isDropped(binding, type, path))
    .map(({ path, order }) => ({ path: checkPath(binding, type, path, param), descending: readOrder(order) }));
}

interface SortItem {
  path: string[];
  order: unknown;
}

/** `dropsEmpty`: an order that is empty text is none, and one that is no text a mistake. */
function sortItems(value: unknown, param: string, dropsEmpty: boolean): SortItem[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value.split(',').flatMap((text) => sortText(text, dropsEmpty));
  if (Array.isArray(value)) {
    const kinds = new Set(value.map((item) => (typeof item === 'object' ? 'object' : typeof item)));
    // a list that mixes both forms is taken for an object, whose first key then is 0
    if (kinds.size > 1) throw invalidKey(param, '0', null);
    return value.flatMap((item) => sortItems(item, param, dropsEmpty));
  }
  if (typeof value === 'object') return sortObject(value, [], dropsEmpty);
  throw new ValidationError(`Invalid ${param} parameter. Expected a string, an array of strings or a sort object`);
}

function sortText(text: string, dropsEmpty: boolean): SortItem[] {
  const [path, order] = text.split(':').map((part) => part.trim());
  if (path === '') return [];
  const [first, ...rest] = path.split('.');
  return [{ path: [first, ...(dropsEmpty ? rest.filter((name) => name !== '') : rest)], order }];
}

function sortObject(value: object, path: string[], dropsEmpty: boolean): SortItem[] {
  return Object.entries(value).flatMap(([key, order]) => {
    const at = [...path, ...key.split('.')];
    if (!dropsEmpty) return isObject(order) ? sortObject(order, at, dropsEmpty) : [{ path: at, order }];
    if (isObject(order) && !Array.isArray(order)) return sortObject(order, at, dropsEmpty);
    if (typeof order !== 'string') {
      throw new ValidationError(`Invalid sort type expected object or string got ${typeof order}`);
    }
    return order.trim() === '' ? [] : [{ path: at, order: order.trim() }];
  });
}

/** Whether a path leads to the `status` that sorts nothing. What follows it does not count. */
function isDropped(binding: Binding, root: EntryType, path: string[]): boolean {
  let current: EntryType | undefined = root;
  for (const name of path) {
    const attribute: Attribute | undefined = current?.attributes.get(name);
    if (!attribute) return isStatusKey(root, name);
    current = isRelation(attribute) ? binding.schema.types.get(attribute.target) : undefined;
  }
  return false;
}

function readOrder(order: unknown): boolean {
  if (order === undefined || order === null) return false;
  const name = String(order).toLowerCase();
  if (name !== 'asc' && name !== 'desc') throw invalidOrder();
  return name === 'desc';
}

function invalidOrder(): ValidationError {
  return new ValidationError('Invalid order. order can only be one of asc|desc|ASC|DESC');
}

/** Follows a path through relations to a scalar attribute, as the caller may see them, and gives it as it is bound. */
function checkPath(binding: Binding, type: EntryType, path: string[], param: string): string[] {
  binding.budget.checkDepth(param, path.length);
  let current = type;
  let at: Path = null;
  return path.map((name, i) => {
    const attribute = findAttribute(current, name, at, param);
    const isLast = i === path.length - 1;
    if (isScalar(attribute) !== isLast) throw invalidKey(param, name, join(at, name));
    if (isLast) return name;
    const relation = followRelation(binding, attribute, at, param);
    current = binding.schema.type(relation.target);
    at = join(at, name);
    return boundName(binding, relation);
  });
}
