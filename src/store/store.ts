import type { CostBudget } from '../base/cost-budget.ts';
import type { Schema } from '../model/schema.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { Collection } from './collection.ts';

/** One snapshot in RAM: frozen when it is built, then only read. */
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

/** A store as one request sees it. */
export interface StoreView {
  readonly store: Store;
  /** Tells views apart that see different rows. */
  readonly name: string;
  /** The rows of a collection that relations lead to in filters and sorts; null: all of them. */
  reachable(collection: Collection): BitSet | null;
  /** What the request may still look at. */
  readonly budget: CostBudget;
}

/** The collection of a type that is known to exist. */
export function collectionOf(store: Store, uid: string): Collection {
  const collection = store.byUid.get(uid);
  if (!collection) throw new Error(`no collection ${uid} in the store`);
  return collection;
}
