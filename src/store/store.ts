import type { Schema } from '../model/schema/schema.ts';
import type { Collection } from './collection.ts';
import type { Segment } from './segment.ts';

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

/** What a store knows besides its rows. */
type StoreFacts = Pick<Store, 'contentDigest' | 'schema' | 'schemaKey' | 'locales' | 'defaultLocale'>;

/** Makes a store of segments, in the order of their numbers. */
export function createStore(
  { contentDigest, schema, schemaKey, locales, defaultLocale }: StoreFacts,
  segments: readonly Segment[],
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
