import type { StorePolicy } from '../../core/dialect.ts';
import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { servedScalars } from '../../model/schema/schema.ts';
import type { Collection } from '../collection.ts';
import { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import { hasVersionLinks, versionLinks } from './links/document-links.ts';
import { addJsonTexts, isComparedAsJson } from './rows/json-texts.ts';

/**
 * Returns the store with what queries of another dialect read besides columns, rows and relations, and without what
 * they do not read. Null if the stored JSON is not the JSON that queries compare: that of `rewritten` attributes.
 */
export function deriveForDialect(
  store: Store,
  policy: StorePolicy,
  rewritten: (collection: Collection, attribute: string) => boolean,
  allocator: Allocator = heapAllocator,
): Store | null {
  const collections: Collection[] = [];
  for (const collection of store.collections) {
    const derived = deriveCollection(collection, policy, rewritten, allocator);
    if (!derived) return null;
    collections.push(derived);
  }
  return createStore(
    store,
    collections.map((collection) => new Segment(collection)),
  );
}

function deriveCollection(
  collection: Collection,
  policy: StorePolicy,
  rewritten: (collection: Collection, attribute: string) => boolean,
  allocator: Allocator,
): Collection | null {
  const { type, columns } = collection;
  const jsonTexts = new Map(policy.jsonTexts ? collection.jsonTexts : []);
  if (policy.jsonTexts) {
    const scalars = servedScalars(type);
    const isUnknown = (name: string) => !jsonTexts.has(name) && rewritten(collection, name);
    if (scalars.some(({ name, type }) => isComparedAsJson(type) && isUnknown(name))) return null;
    addJsonTexts(type, { ...collection, jsonTexts }, allocator);
  }
  const needsVersions = hasVersionLinks(type, policy);
  const versions = needsVersions ? (collection.versions ?? versionLinks(columns.get('documentId')!, allocator)) : null;
  return Object.freeze({ ...collection, jsonTexts, versions });
}
