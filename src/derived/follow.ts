/** Where a filter or a sort leads through a relation, media or component. */

import { isRelation } from '../model/schema.ts';
import { everyVersion } from '../query/bound.ts';
import type { AdjacencyPair } from '../sets/adjacency.ts';
import { iota } from '../sets/row-set.ts';
import type { Collection } from '../store/collection.ts';
import { documentLinks } from '../store/document-links.ts';
import { collectionOf, type StoreView } from '../store/store.ts';

export interface Followed {
  readonly target: Collection;
  readonly links: AdjacencyPair;
}

/** The links of an attribute of a bound query, and what they lead to. */
export function follow({ store }: StoreView, collection: Collection, name: string): Followed {
  if (name === everyVersion) return { target: collection, links: versionsOf(collection) };
  const attribute = collection.type.attributes.get(name)!;
  if (!isRelation(attribute)) throw new Error(`a query cannot lead through ${name}`);
  return { target: collectionOf(store, attribute.target), links: collection.links.get(name)! };
}

const known = new WeakMap<Collection, AdjacencyPair>();

/** Links from each row to all rows of its document, itself among them. Made once, then kept. */
export function versionsOf(collection: Collection): AdjacencyPair {
  let versions = known.get(collection);
  if (!versions) {
    const documents = collection.columns.get('documentId')!;
    versions = documentLinks(documents, iota(collection.rowCount), () => true);
    known.set(collection, versions);
  }
  return versions;
}
