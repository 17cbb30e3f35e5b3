/** Reads the parameters that hold names alone: `fields`, `facets` and `sort`. Null: the form has no control. */
import type { SortItem } from './explored-query.ts';
import { isList, type QueryValue } from './query-value.ts';

const name = '[^\\s.,:*$[\\]]+';
const namePattern = new RegExp(`^${name}$`);
const pathPattern = new RegExp(`^${name}(?:\\.${name})*$`);
const sortPattern = new RegExp(`^(${name}(?:\\.${name})*)(?::(asc|desc))?$`, 'i');

/** Returns whether a text is the name of one attribute. */
export function isName(text: string): boolean {
  return namePattern.test(text) && text !== '__proto__';
}

/** Reads names between commas, or a list of names. */
export function readFields(value: QueryValue): readonly string[] | null {
  return readTexts(value, namePattern);
}

/** Reads dotted paths between commas, or a list of them. */
export function readFacets(value: QueryValue): readonly string[] | null {
  return readTexts(value, pathPattern);
}

function readTexts(value: QueryValue, pattern: RegExp): readonly string[] | null {
  const items = typeof value === 'string' ? value.split(',') : value;
  if (items === null || !isList(items)) return null;
  const texts = items.map((item) => (typeof item === 'string' ? item.trim() : ''));
  return texts.every((text) => pattern.test(text)) ? texts : null;
}

/** Reads texts such as `title:desc,id`, objects such as `{title: 'desc'}`, or a list of either. */
export function readSort(value: QueryValue): readonly SortItem[] | null {
  if (typeof value === 'string') return complete(value.split(',').map((text) => readSortText(text.trim())));
  if (value === null) return null;
  if (!isList(value)) return readSortObject(value, []);
  // the server rejects a list that mixes both forms
  if (new Set(value.map((item) => typeof item)).size > 1) return null;
  return complete(value.map(readSort))?.flat() ?? null;
}

function readSortText(text: string): SortItem | null {
  const parts = sortPattern.exec(text);
  if (!parts) return null;
  const [, path, order] = parts;
  return sortItem(path, order);
}

function readSortObject(
  value: ReadonlyMap<string, QueryValue>,
  parents: readonly string[],
): readonly SortItem[] | null {
  const items = Array.from(value, ([key, inner]) => {
    const names = [...parents, key];
    if (!isName(key) || inner === null || isList(inner)) return null;
    if (typeof inner !== 'string') return readSortObject(inner, names);
    const item = /^(?:asc|desc)$/i.test(inner) ? sortItem(names.join('.'), inner) : null;
    return item && [item];
  });
  return complete(items)?.flat() ?? null;
}

/** Strapi ignores `status:asc` and rejects `status`, so that key stays as it is written. */
function sortItem(path: string, order: string | undefined): SortItem | null {
  const descending = order?.toLowerCase() === 'desc';
  if (order !== undefined && !descending && /(?:^|\.)status$/.test(path)) return null;
  return { path, descending };
}

function complete<T>(items: readonly (T | null)[]): readonly T[] | null {
  return items.includes(null) ? null : (items as readonly T[]);
}
