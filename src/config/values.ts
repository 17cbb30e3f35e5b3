/** Nested plain objects, as a config file holds them. */

export function isPlainObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value: unknown, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], root);
}

/** Sets the value at a path of at least one key. Objects on the way are made; what is no object is replaced. */
export function setAt(root: object, path: readonly string[], value: unknown): void {
  let holder = root as Record<string, unknown>;
  for (const key of path.slice(0, -1)) {
    const inner = holder[key];
    holder = (holder[key] = isPlainObject(inner) ? inner : {}) as Record<string, unknown>;
  }
  holder[path.at(-1)!] = value;
}

/** A copy of `below` with what `above` holds in its place. Objects are merged key by key, lists are replaced. */
export function merged(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isPlainObject(above)) return above;
  const result = new Map<string, unknown>(isPlainObject(below) ? Object.entries(below) : []);
  for (const [key, value] of Object.entries(above)) result.set(key, merged(result.get(key), value));
  return Object.fromEntries(result);
}
