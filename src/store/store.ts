import type { Schema } from '../model/schema.ts';
import type { Collection } from './collection.ts';
import { Segment } from './segment.ts';

/** The content of one snapshot: built, frozen, then only read. */
export interface Store {
  /** Hexadecimal digest of the content: equal for equal content, on any machine. */
  readonly contentDigest: string;
  readonly schema: Schema;
  /** Digest of what binding depends on: types, attributes and locales. */
  readonly schemaKey: string;
  /** Every locale of the settings and of the entries, with the default one. */
  readonly locales: ReadonlySet<string>;
  readonly collections: readonly Collection[];
  /** The segment of each collection. */
  readonly segments: readonly Segment[];
  readonly byUid: ReadonlyMap<string, Collection>;
  readonly defaultLocale: string;
}

/** Makes a store of finished collections, in the order of their numbers. */
export function createStore(
  { contentDigest, schema, schemaKey, locales, defaultLocale }: Omit<Store, 'collections' | 'segments' | 'byUid'>,
  collections: readonly Collection[],
): Store {
  return Object.freeze({
    contentDigest,
    schema,
    schemaKey,
    locales,
    defaultLocale,
    collections,
    segments: collections.map((collection) => new Segment(collection)),
    byUid: new Map(collections.map((collection) => [collection.type.uid, collection])),
  });
}

/** Makes the store that a batch of changes leads to, of segments in the order of their numbers. */
export function withSegments(
  { schema, schemaKey, locales, defaultLocale }: Store,
  segments: readonly Segment[],
  contentDigest: string,
): Store {
  const collections = segments.map(({ collection }) => collection);
  return Object.freeze({
    contentDigest,
    schema,
    schemaKey,
    locales,
    defaultLocale,
    collections,
    segments,
    byUid: new Map(collections.map((collection) => [collection.type.uid, collection])),
  });
}

/** The collection of a type that exists. */
export function collectionOf(store: Store, uid: string): Collection {
  const collection = store.byUid.get(uid);
  if (!collection) throw new Error(`no collection ${uid} in the store`);
  return collection;
}

/** The segment of a type that exists. */
export function segmentOf(store: Store, uid: string): Segment {
  return store.segments[collectionOf(store, uid).number];
}
