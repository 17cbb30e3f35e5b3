import { isPlainObject } from '../../core/plain-object.ts';

/** The attributes of a row as a reply shows it. */
export type Shown = Record<string, unknown> & { readonly id: number };

/**
 * Merges what several replies show of the same value. Objects are merged by key. Lists have the same elements, and are
 * merged by position. Returns undefined if the replies contradict each other, because the value changed between them.
 */
export function mergeParts(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) {
    if (first.length !== second.length) return undefined;
    const merged = first.map((element, i) => mergeParts(element, second[i]));
    return merged.includes(undefined) ? undefined : merged;
  }
  if (!isPlainObject(first) || !isPlainObject(second)) return Object.is(first, second) ? first : undefined;
  if (first.id !== second.id || first.__component !== second.__component) return undefined;
  const merged: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const both = Object.hasOwn(first, key) ? mergeParts(first[key], value) : value;
    if (both === undefined) return undefined;
    merged[key] = both;
  }
  return merged;
}
