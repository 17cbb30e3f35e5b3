/** The first difference of two JSON values: a path such as `$.data[0].name`, and both values or undefined. */
export interface Difference {
  at: string;
  expected: unknown;
  found: unknown;
}

/** The first difference, or null. Lists compare in order, objects without it; -0 is not 0. */
export function difference(expected: unknown, found: unknown, at = '$'): Difference | null {
  if (Object.is(expected, found)) return null;
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let i = 0; i < Math.max(expected.length, found.length); i++) {
      const inside = difference(expected[i], found[i], `${at}[${i}]`);
      if (inside) return inside;
    }
    return null;
  }
  if (isObject(expected) && isObject(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const inside = difference(expected[key], found[key], `${at}.${key}`);
      if (inside) return inside;
    }
    return null;
  }
  return { at, expected, found };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
