/** Operations on nested plain objects, such as a parsed config file. */
import { isPlainObject } from '../../core/plain-object.ts';

/** Sets the value at a path of at least one key. Creates missing objects, and replaces other values, along the path. */
export function setAt(root: object, path: readonly string[], value: unknown): void {
  let parent = root as Record<string, unknown>;
  for (const key of path.slice(0, -1)) {
    const child = parent[key];
    parent = (parent[key] = isPlainObject(child) ? child : {}) as Record<string, unknown>;
  }
  parent[path.at(-1)!] = value;
}

/** Returns a copy of `base` in which the values of `overrides` replace those of `base`. Only objects are merged. */
export function merge(base: unknown, overrides: unknown): unknown {
  if (overrides === undefined) return base;
  if (!isPlainObject(overrides)) return overrides;
  const result = new Map<string, unknown>(isPlainObject(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(overrides)) result.set(key, merge(result.get(key), value));
  return Object.fromEntries(result);
}
