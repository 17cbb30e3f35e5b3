/** Values of a query before they are parsed. */

/** Returns whether a value is an object or a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a value holds others. Only programs give dates, and those are single values. */
export function isContainer(value: unknown): value is object {
  return isObject(value) && !(value instanceof Date);
}

/** Returns a value as text for a message. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}
