/** The links that a filter or a sort follows: relations, media and components. */

import { isRelation } from '../model/schema.ts';
import { everyVersion } from '../query/bound.ts';
import type { AdjacencyPair } from '../sets/adjacency.ts';
import type { Collection } from '../store/collection.ts';
import { collectionOf, type StoreView } from '../store/store.ts';

export interface Followed {
  readonly target: Collection;
  readonly links: AdjacencyPair;
}

/** Returns the links of an attribute, and the collection that they lead to. */
export function follow({ store }: StoreView, collection: Collection, name: string): Followed {
  if (name === everyVersion) return { target: collection, links: collection.versions! };
  const attribute = collection.type.attributes.get(name)!;
  if (!isRelation(attribute)) throw new Error(`a query cannot lead through ${name}`);
  return { target: collectionOf(store, attribute.target), links: collection.links.get(name)! };
}
