/** Where a filter or a sort leads through a relation, media or component. */
import { everyVersion } from '../query/bound.ts';
import { isRelation } from '../schema/schema.ts';
import type { LinkPair } from '../sets/links.ts';
import { everyNumber } from '../sets/rows.ts';
import type { Collection } from '../store/collection.ts';
import { documentLinks } from '../store/document-links.ts';
import { collectionOf, type View } from '../store/store.ts';

export interface Followed {
  readonly target: Collection;
  readonly links: LinkPair;
}

/** The links of an attribute of a bound query, and what they lead to. */
export function follow({ store }: View, collection: Collection, name: string): Followed {
  if (name === everyVersion) return { target: collection, links: versionsOf(collection) };
  const attribute = collection.type.attributes.get(name)!;
  if (!isRelation(attribute)) throw new Error(`a query cannot lead through ${name}`);
  return { target: collectionOf(store, attribute.target), links: collection.links.get(name)! };
}

const known = new WeakMap<Collection, LinkPair>();

/** Links from each row to all rows of its document, itself among them. Made once, then kept. */
export function versionsOf(collection: Collection): LinkPair {
  let versions = known.get(collection);
  if (!versions) {
    const documents = collection.columns.get('documentId')!;
    versions = documentLinks(documents, everyNumber(collection.rowCount), () => true);
    known.set(collection, versions);
  }
  return versions;
}
