import type { AttributeDescription } from '../../description/describe-schema.ts';
import { addressOf, useExplored } from '../state/explored.ts';
import { useFetched } from '../state/use-fetched.ts';
import { countingUrl, facetsOf, type ValueCount } from './value-counts.ts';

/** A value that a filter can have. The count is null where the server does not count values. */
export interface Offer {
  readonly value: string;
  readonly count: number | null;
}

/**
 * Returns the values of an attribute that the list would have without filter `index`. They are requested while `isWanted`.
 */
export function useOffers(
  index: number,
  path: readonly string[],
  attribute: AttributeDescription,
  isWanted: boolean,
): readonly Offer[] {
  const { schema, query, credentials, route } = useExplored();
  const isCounted = schema.hasFacets && route?.kind === 'page' && attribute.operators.includes('$eq');
  const facet = path.join('.');
  const address = isWanted && isCounted ? addressOf(schema, countingUrl(query, index, facet)) : null;
  const { reply } = useFetched(address, credentials);
  const counted = facetsOf(reply?.value)[facet]?.values;
  return counted ? counted.flatMap(offerOf) : knownValues(attribute).map((value) => ({ value, count: null }));
}

function offerOf({ value, count }: ValueCount): Offer[] {
  return value === null ? [] : [{ value: String(value), count }];
}

function knownValues({ type, values }: AttributeDescription): readonly string[] {
  return values ?? (type === 'boolean' ? ['true', 'false'] : []);
}
