import type { CostBudget } from '../base/cost-budget.ts';
import type { Schema } from '../model/schema.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { Collection } from './collection.ts';

/** The content of one snapshot: built, frozen, then only read. */
export interface Store {
  /** Hexadecimal digest of the content: equal for equal content, on any machine. */
  readonly version: string;
  readonly schema: Schema;
  /** Digest of what binding depends on: types, attributes and locales. */
  readonly schemaKey: string;
  /** Every locale of the settings and of the entries, with the default one. */
  readonly locales: ReadonlySet<string>;
  readonly collections: readonly Collection[];
  readonly byUid: ReadonlyMap<string, Collection>;
  readonly defaultLocale: string;
}

/** A store as one request reads it. */
export interface StoreView {
  readonly store: Store;
  /** Differs between views that see different rows. */
  readonly name: string;
  /** The rows of a collection that filters and sorts reach through relations; null: all of them. */
  reachable(collection: Collection): BitSet | null;
  /** The cost that the request may still incur. */
  readonly budget: CostBudget;
}

/** The collection of a type that exists. */
export function collectionOf(store: Store, uid: string): Collection {
  const collection = store.byUid.get(uid);
  if (!collection) throw new Error(`no collection ${uid} in the store`);
  return collection;
}
