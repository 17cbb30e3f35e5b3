import { invalidKey, ValidationError } from '../errors.ts';
import { type EntryType, isScalar } from '../schema/schema.ts';
import { type Binding, checkDepth, findAttribute, followRelation, join, type Path } from './binding.ts';
import type { SortKey } from './bound.ts';

/** Binds `sort`: `a`, `a:desc`, `a.b,c`, a list of those, `{a: "desc"}`, `{a: {b: "asc"}}`, or a list of objects. */
export function bindSort(binding: Binding, type: EntryType, value: unknown, param = 'sort'): SortKey[] {
  return sortItems(value, param).map(({ path, order }) => ({
    path: checkPath(binding, type, path, param),
    descending: readOrder(order),
  }));
}

interface SortItem {
  path: string[];
  order: unknown;
}

function sortItems(value: unknown, param: string): SortItem[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value.split(',').flatMap(sortText);
  if (Array.isArray(value)) {
    const kinds = new Set(value.map((item) => (typeof item === 'object' ? 'object' : typeof item)));
    // a list that mixes both forms is taken for an object, whose first key then is 0
    if (kinds.size > 1) throw invalidKey(param, '0', null);
    return value.flatMap((item) => sortItems(item, param));
  }
  if (typeof value === 'object') return sortObject(value, []);
  throw new ValidationError(`Invalid ${param} parameter. Expected a string, an array of strings or a sort object`);
}

function sortText(text: string): SortItem[] {
  const [path, order] = text.split(':').map((part) => part.trim());
  return path === '' ? [] : [{ path: path.split('.'), order }];
}

function sortObject(value: object, path: string[]): SortItem[] {
  return Object.entries(value).flatMap(([key, order]) => {
    const at = [...path, ...key.split('.')];
    return typeof order === 'object' && order !== null ? sortObject(order, at) : [{ path: at, order }];
  });
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

/** Follows a path through relations to a scalar attribute, as the caller may see them. */
function checkPath(binding: Binding, type: EntryType, path: string[], param: string): string[] {
  checkDepth(param, path.length);
  let current = type;
  let at: Path = null;
  path.forEach((name, i) => {
    const attribute = findAttribute(current, name, at, param);
    const isLast = i === path.length - 1;
    if (isScalar(attribute) !== isLast) throw invalidKey(param, name, join(at, name));
    if (!isLast) current = binding.schema.type(followRelation(binding, attribute, at, param).target);
    at = join(at, name);
  });
  return path;
}
