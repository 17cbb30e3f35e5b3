import { isDeepStrictEqual } from 'node:util';
import type { Asked } from '../query.ts';

interface Answer {
  data: { id: number }[];
  meta: object;
}

/** Compares replies, parsed. Null if they agree, else the URL of the first that differs, and what does. */
export function firstDifference(sets: Asked[], given: string[], expected: string[]): string | null {
  for (const [index, { url }] of sets.slice(0, expected.length).entries()) {
    const [answer, right] = [JSON.parse(given[index]) as Answer, JSON.parse(expected[index]) as Answer];
    if (!isDeepStrictEqual(answer, right)) return `${url}: ${describe(answer, right)}`;
  }
  return null;
}

function describe(given: Answer, expected: Answer): string {
  const ids = ({ data }: Answer) => data.map(({ id }) => id).join(' ');
  if (!isDeepStrictEqual(given.meta, expected.meta)) {
    return `${JSON.stringify(given.meta)} in place of ${JSON.stringify(expected.meta)}`;
  }
  if (ids(given) !== ids(expected)) return `entries ${ids(given)} in place of ${ids(expected)}`;
  const at = given.data.findIndex((entry, index) => !isDeepStrictEqual(entry, expected.data[index]));
  return `entry ${JSON.stringify(given.data[at])} in place of ${JSON.stringify(expected.data[at])}`;
}
