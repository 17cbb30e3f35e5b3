/** Whether two answers are the same, and if not, what kind of difference it is. */
import type { Request } from './queries/query-context.ts';

export interface Answer {
  status: number;
  body: unknown;
}

export interface Difference {
  kind: string;
  /** The first place where the bodies differ, or the statuses. */
  where: string;
  expected: unknown;
  found: unknown;
}

/** Null if Lectern answers as it must: the same, or 200 or 400 where Strapi failed. */
export function compareAnswers(request: Request, strapi: Answer, lectern: Answer): Difference | null {
  const statuses = { where: 'status', expected: summary(strapi), found: summary(lectern) };
  if (strapi.status >= 500) {
    const isRight = lectern.status === 200 || lectern.status === 400;
    return isRight ? null : { kind: `Strapi fails, Lectern ${lectern.status}`, ...statuses };
  }
  const pair = `${strapi.status} and ${lectern.status}`;
  if (strapi.status !== lectern.status) return { kind: `${pair}: ${request.kind}`, ...statuses };
  // a bare list has no page, so its order says no more than its sort
  const isOrdered =
    !Array.isArray(strapi.body) || /[?&]sort[^&]*=[^&]*\bid\b|[?&]sort[^&=]*\[id\]/.test(decoded(request));
  const bodies = [strapi, lectern].map(({ body }) => (isOrdered ? body : byIdentity(body as unknown[])));
  const found = firstDifference(bodies[0], bodies[1], '$');
  if (!found) return null;
  if (strapi.status >= 400) {
    const [said, says] = [strapi, lectern].map(({ body }) => withoutNames(JSON.stringify(body)));
    return { kind: `${strapi.status} says ${said} and ${says}`, ...found };
  }
  const place = found.where.replace(/\[\d+\]/g, '[]');
  return { kind: `${pair}: ${place} ${natureOf(found)}${request.headers ? ' in v4 format' : ''}`, ...found };
}

function decoded({ path }: Request): string {
  return decodeURIComponent(path.replaceAll('+', ' '));
}

type Place = Omit<Difference, 'kind'>;

/**
 * Objects compare without key order, lists in order; but the lists that Strapi reads without an order, or with one
 * that leaves ties, in any order.
 */
function firstDifference(expected: unknown, found: unknown, where: string): Place | null {
  if (Object.is(expected, found)) return null;
  if (Array.isArray(expected) && Array.isArray(found)) {
    const [left, right] = unordered.test(where) ? [expected, found].map(byIdentity) : [expected, found];
    if (left.length === right.length && !sameOrder(left, right) && sorted(left).join() === sorted(right).join()) {
      return { where, expected, found };
    }
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const inner = firstDifference(left[i], right[i], `${where}[${i}]`);
      if (inner) return inner;
    }
    return left.length === right.length ? null : { where, expected, found };
  }
  if (isObject(expected) && isObject(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const inner = firstDifference(expected[key], found[key], `${where}.${key}`);
      if (inner) return inner;
    }
    return null;
  }
  return { where, expected, found };
}

/** `subjects` is set from both of its ends here, which gives several of its items the same place. */
const unordered = /\.(related|localizations|subjects)(\.data)?$/;

const byIdentity = (list: unknown[]): unknown[] => {
  const key = (item: unknown) => (isObject(item) ? `${item.__type} ${item.id}` : '');
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const sorted = (list: unknown[]): string[] => list.map(canonical).sort();
const sameOrder = (a: unknown[], b: unknown[]): boolean => a.every((item, i) => canonical(item) === canonical(b[i]));

/** JSON with the keys of objects in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function natureOf({ expected, found }: Place): string {
  if (expected === undefined) return 'is not there in Strapi';
  if (found === undefined) return 'is not there in Lectern';
  if (!Array.isArray(expected) || !Array.isArray(found)) return 'has another value';
  if (expected.length < found.length) return 'has more items in Lectern';
  return expected.length > found.length ? 'has fewer items in Lectern' : 'has another order';
}

function summary({ status, body }: Answer): string {
  return `${status} ${(JSON.stringify(body) ?? '').slice(0, 300)}`;
}

/** A message with its names and values taken out, so that messages of one kind are equal. */
function withoutNames(text: string): string {
  return text
    .replace(/^.*"message":/, '')
    .replace(/"[^"]*":(?=")/g, '')
    .replace(/(Invalid key) \S+( at \S+)?(?=")/, '$1 …')
    .slice(0, 160);
}
