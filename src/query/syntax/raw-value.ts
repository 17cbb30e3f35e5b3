/** What a value of a query is, before it is bound. */

/** Whether a value of a query is a group of keys, and no list: `filters[a]=…` is one, `filters[]=…` is none. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/** Whether it is either. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A value of a query in a message: as it is if it is plain. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}
