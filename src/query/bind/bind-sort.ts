import { type Attribute, type EntryType, isRelation, isScalar } from '../../model/schema.ts';
import type { SortKey } from '../bound.ts';
import type { Messages } from '../messages.ts';
import { checkSortNames, isStatusKey, ordersSomething } from '../strapi/check-names.ts';
import { childPath, type Part, type Path } from '../syntax/place.ts';
import { isObject } from '../syntax/raw-value.ts';
import { type Binding, boundName, findAttribute, leadsOn, wrongName } from './binding.ts';

/** Binds `sort`: `a`, `a:desc`, `a.b,c`, a list of those, `{a: "desc"}`, `{a: {b: "asc"}}`, or a list of objects. */
export function bindSort(binding: Binding, type: EntryType, value: unknown, part: Part): SortKey[] {
  checkSortNames(binding, type, value, part.param);
  return buildSort(binding, type, value, part);
}

/** Binds a sort whose names have been checked. */
export function buildSort(binding: Binding, type: EntryType, value: unknown, part: Part): SortKey[] {
  const { dropsEmptyParts } = binding.dialect;
  if (dropsEmptyParts && !ordersSomething(value)) return [];
  return new SortReader(binding, part)
    .items(value)
    .filter(({ path }) => !dropsEmptyParts || !isDropped(binding, type, path))
    .map((item) => {
      const path = checkPath(binding, type, item, part);
      return { path, descending: readOrder(binding, part, item) };
    });
}

interface SortItem {
  path: string[];
  order: unknown;
  /** The text of the query that it was read from, if it was text. */
  value?: string;
}

/** Reads a sort in any of its forms, without the schema. */
class SortReader {
  readonly #messages: Messages;
  readonly #part: Part;
  /** An order that is empty text is none, and one that is no text a mistake; what follows a second colon is ignored. */
  readonly #dropsEmpty: boolean;

  constructor({ messages, dialect }: Binding, part: Part) {
    this.#messages = messages;
    this.#part = part;
    this.#dropsEmpty = dialect.dropsEmptyParts;
  }

  items(value: unknown): SortItem[] {
    if (value === undefined || value === null) return [];
    if (typeof value === 'string') return value.split(',').flatMap((text) => this.#text(text));
    if (Array.isArray(value)) {
      const kinds = new Set(value.map((item) => (typeof item === 'object' ? 'object' : typeof item)));
      // a list that mixes both forms is taken for an object, whose first key then is 0
      if (kinds.size > 1) throw this.#messages.mixedSort(this.#part, value);
      return value.flatMap((item) => this.items(item));
    }
    if (typeof value === 'object') return this.#object(value, []);
    throw this.#messages.sortForm(this.#part, null, value);
  }

  #text(text: string): SortItem[] {
    const [path, ...orders] = text.split(':').map((part) => part.trim());
    if (path === '' && (this.#dropsEmpty || orders.length === 0)) return [];
    const [first, ...rest] = path.split('.');
    const names = [first, ...(this.#dropsEmpty ? rest.filter((name) => name !== '') : rest)];
    return [{ path: names, order: this.#dropsEmpty ? orders[0] : orderOf(orders), value: text }];
  }

  #object(value: object, path: string[]): SortItem[] {
    return Object.entries(value).flatMap(([key, order]) => {
      const at = [...path, ...key.split('.')];
      if (!this.#dropsEmpty) return isObject(order) ? this.#object(order, at) : [{ path: at, order }];
      if (isObject(order) && !Array.isArray(order)) return this.#object(order, at);
      if (typeof order !== 'string') throw this.#messages.sortForm(this.#part, at.join('.'), order);
      return order.trim() === '' ? [] : [{ path: at, order: order.trim() }];
    });
  }
}

/** What follows the first colon: nothing, an order, or several orders, which no item can have. */
function orderOf(orders: readonly string[]): string | undefined {
  return orders.length === 0 ? undefined : orders.join(':');
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

function readOrder({ messages }: Binding, part: Part, { path, order, value }: SortItem): boolean {
  if (order === undefined || order === null) return false;
  const name = String(order).toLowerCase();
  if (name !== 'asc' && name !== 'desc')
    throw messages.order(part, childPath(part.path, path.join('.')), value ?? order);
  return name === 'desc';
}

/** Follows a path through relations to a scalar attribute, as the caller may see them, and gives it as it is bound. */
function checkPath(binding: Binding, type: EntryType, { path, value }: SortItem, part: Part): string[] {
  binding.budget.checkDepth(part.param, path.length);
  binding.budget.countSortKey(part.param, path.length);
  let current = type;
  let at: Path = part.path;
  return path.map((name, i) => {
    const attribute = findAttribute(binding, part, current, name, at, 'sort', value);
    const isLast = i === path.length - 1;
    // the schema's own text: a part of the query string would hold all of it in memory
    if (isScalar(attribute) && isLast) return attribute.name;
    if (isScalar(attribute) || isLast || !leadsOn(binding, attribute)) {
      throw wrongName(binding, part, current, name, at, 'sort', value);
    }
    current = binding.schema.type(attribute.target);
    at = childPath(at, name);
    return boundName(binding, attribute);
  });
}
