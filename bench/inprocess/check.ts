import { isDeepStrictEqual } from 'node:util';
import type { Peer } from '../peers/peer.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';

/** Compares answers, parsed, with those of the peer that others are measured against. Null if they agree. */
export function firstDifference(reference: Peer, peer: Peer, name: QueryName, sets: ParameterSet[]): string | null {
  peer.prepare?.(name, sets);
  for (const set of sets) {
    try {
      const expected = JSON.parse(reference.query(name, set).toString());
      const given = JSON.parse(peer.query(name, set).toString());
      if (!isDeepStrictEqual(given, expected)) return `${set.url}: ${describe(given, expected)}`;
    } catch (error) {
      return `${set.url}: ${(error as Error).message}`;
    }
  }
  return null;
}

interface Answer {
  data: { id: number }[];
  meta: object;
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
