import { iota } from '../../../core/sets/row-set.ts';
import type { Collection } from '../../collection.ts';
import { rowComparison } from '../../row-order.ts';
import { nextId, type Segment } from '../../segment.ts';
import type { Store } from '../../store.ts';
import { type OwnedLinks, ownedLinks, ownLinksOf } from '../links/owned-links.ts';
import { inverseNameOf } from '../links/shown-by.ts';
import type { StoreBuilder } from '../store-builder.ts';

/** In place of the load ordinal of a row that is not copied. */
const notCopied = 0xffff_ffff;

/**
 * Adds rows of a store to a builder of the same schema and options, and the links between these rows with their
 * positions. For compaction, which makes a new store of the live rows of one with changes. Nothing is parsed. A store
 * without changes gives the same store. Without `isKept`, all live rows are copied, and the ids of dead ones stay used.
 * Returns the load ordinals of the rows of each collection.
 */
export function copyRows(
  store: Store,
  builder: StoreBuilder,
  isKept?: (collection: Collection, row: number) => boolean,
): Uint32Array[] {
  const ordinals = store.segments.map((segment) => {
    const { collection, rowCount } = segment;
    const rows = builder.rows(collection.type.uid);
    if (!isKept) rows.reserveIds(nextId(segment) - 1);
    const copy = rows.copier(segment);
    const ordinalOf = new Uint32Array(rowCount).fill(notCopied);
    for (const row of liveRowsInLoadOrder(segment)) if (isKept?.(collection, row) ?? true) ordinalOf[row] = copy(row);
    return ordinalOf;
  });
  for (const links of ownedLinks(store)) copyLinks(store, links, builder, ordinals);
  return ordinals;
}

/** Returns the rows in the order in which localizations are listed: new rows come last, or all are in row order. */
export function liveRowsInLoadOrder(segment: Segment): Uint32Array {
  const { collection, rowCount } = segment;
  const rows = iota(rowCount);
  if (collection.loadOrder) rows.set(collection.loadOrder);
  const live = segment.live ? rows.filter((row) => segment.isLive(row)) : rows;
  return collection.loadOrder || segment.isInIdOrder ? live : live.sort(rowComparison(segment));
}

function copyLinks(store: Store, owned: OwnedLinks, builder: StoreBuilder, ordinals: readonly Uint32Array[]): void {
  const { collection, attribute, links, owning } = owned;
  const { offsets, targets, patch } = links;
  const copies = builder.links(collection.type.uid, attribute);
  const sources = ordinals[collection.number];
  const add = (row: number, number: number, to: number, position: number, inversePosition: number, shownBy: number) => {
    const target = ordinals[number][to];
    if (target === notCopied) return;
    const inverse = inverseNameOf(store.collections[number].type, shownBy);
    copies.add(sources[row], number, target, position, inversePosition, inverse);
  };
  for (let row = 0; row < sources.length; row++) {
    if (sources[row] === notCopied) continue;
    if (patch?.rows.has(row)) {
      for (const link of ownLinksOf(owning, row)) {
        add(row, link.collection, link.row, link.position, link.inversePosition, link.shownBy);
      }
      continue;
    }
    for (let link = offsets[row], i = 0; link < offsets[row + 1]; link++, i++) {
      const [position, inversePosition] = [owned.position(link, i), owned.inversePosition(link, i)];
      add(row, owned.targetCollection(link), targets[link], position, inversePosition, owned.shownBy(link));
    }
  }
}
