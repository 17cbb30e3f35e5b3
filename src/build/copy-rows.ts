import { iota } from '../sets/row-set.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import { type OwnedLinks, ownedLinks } from './owned-links.ts';
import { inverseNameOf } from './shown-by.ts';
import type { StoreBuilder } from './store-builder.ts';

/** In place of the load ordinal of a row that is not copied. */
export const notCopied = 0xffff_ffff;

/**
 * Adds rows of a store to a builder of the same schema and options, and the links between these rows with their
 * positions. For compaction, which makes a new store of the rows of others that are kept. Nothing is parsed. A store that
 * is copied whole gives the same store. Returns the load ordinals of the rows of each collection.
 */
export function copyRows(
  store: Store,
  builder: StoreBuilder,
  isKept: (collection: Collection, row: number) => boolean = () => true,
): Uint32Array[] {
  const ordinals = store.collections.map((collection) => {
    const copy = builder.rows(collection.type.uid).copier(collection);
    const ordinalOf = new Uint32Array(collection.rowCount).fill(notCopied);
    for (const row of collection.loadOrder ?? iota(collection.rowCount)) {
      if (isKept(collection, row)) ordinalOf[row] = copy(row);
    }
    return ordinalOf;
  });
  for (const links of ownedLinks(store)) copyLinks(store, links, builder, ordinals);
  return ordinals;
}

function copyLinks(store: Store, owned: OwnedLinks, builder: StoreBuilder, ordinals: readonly Uint32Array[]): void {
  const { collection, attribute, links } = owned;
  const { offsets, targets } = links;
  const copies = builder.links(collection.type.uid, attribute);
  const sources = ordinals[collection.number];
  for (let row = 0; row < collection.rowCount; row++) {
    if (sources[row] === notCopied) continue;
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      const number = owned.targetCollection(link);
      const target = ordinals[number][targets[link]];
      if (target === notCopied) continue;
      const inverse = inverseNameOf(store.collections[number].type, owned.shownBy(link));
      const i = link - offsets[row];
      copies.add(sources[row], number, target, owned.position(link, i), owned.inversePosition(link, i), inverse);
    }
  }
}
