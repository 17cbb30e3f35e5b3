/** The links that a filter or a sort follows: relations, media and components. */

import { isRelation } from '../../model/schema/schema.ts';
import type { AdjacencyPair } from '../../store/links/adjacency.ts';
import type { Segment } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { everyVersion } from '../bound.ts';
import type { RequestView } from './request-view.ts';

export interface Followed {
  readonly target: Segment;
  readonly links: AdjacencyPair;
}

/** Returns the links of an attribute, and the segment that they lead to. */
export function follow({ store }: RequestView, segment: Segment, name: string): Followed {
  const { type, links, versions } = segment.collection;
  if (name === everyVersion && versions) return { target: segment, links: versions };
  const attribute = type.attributes.get(name);
  const pair = links.get(name);
  if (!attribute || !isRelation(attribute) || !pair) throw new Error(`${type.uid} has no relation ${name} to follow`);
  return { target: segmentOf(store, attribute.target), links: pair };
}
