/**
 * A bound selection made ready for writing: attribute names resolved to runs of segments, relations to links, filters
 * to row sets. Made once per query; then an entry is copied together from slices.
 */
import type { Condition, Populated, Selection } from '../query/bound.ts';
import { isPolymorphic } from '../schema/schema.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { Links, PolymorphicLinks } from '../sets/links.ts';
import { type Collection, rowsOfStatus } from '../store/collection.ts';
import type { Slices } from '../store/slices.ts';
import { collectionOf, type Store } from '../store/store.ts';
import { type Rank, rankBy } from '../run/order.ts';

export interface EntryShape {
  readonly slices: Slices;
  /** Pairs of first and end position in the slices; each run is one copy. */
  readonly runs: readonly number[];
  readonly parts: readonly PartShape[];
}

interface PartBase {
  /** `,"name":` */
  readonly start: Buffer;
  readonly many: boolean;
  readonly count: boolean;
  /** The list stands in `{"data": …}`. */
  readonly wrapped: boolean;
}

/** Related rows of one collection. */
export interface RelationShape extends PartBase {
  readonly kind: 'relation';
  readonly links: Links;
  /** The rows that may be shown; null: all. */
  readonly visible: BitSet | null;
  /** How to sort them; null: in the order of connection. */
  readonly ranks: readonly Rank[] | null;
  readonly entry: EntryShape;
}

/** Related rows of several collections, by collection number. A row of a collection that is not there is not shown. */
export interface PolymorphicShape extends PartBase {
  readonly kind: 'polymorphic';
  readonly links: PolymorphicLinks;
  readonly targets: readonly (
    | { readonly visible: BitSet | null; readonly entry: EntryShape; /** `,"__type":"…"` */ readonly mark: Buffer }
    | undefined
  )[];
}

export type PartShape = RelationShape | PolymorphicShape;

/** What shaping takes from the engine besides the store. */
export interface ShapeContext {
  readonly store: Store;
  readonly status: 'published' | 'draft';
  /** The rows of a collection for which a filter is true. */
  readonly rowsWhere: (collection: Collection, condition: Condition) => BitSet;
}

export function shapeEntry(context: ShapeContext, collection: Collection, selection: Selection): EntryShape {
  const { slices } = collection;
  const runs: number[] = [];
  for (const name of selection.fields ?? slices.names) {
    const position = slices.names.indexOf(name);
    if (runs.at(-1) === position) runs[runs.length - 1] = position + 1;
    else runs.push(position, position + 1);
  }
  return { slices, runs, parts: selection.populate.map((populated) => shapePart(context, collection, populated)) };
}

function shapePart(context: ShapeContext, collection: Collection, populated: Populated): PartShape {
  const { attribute: name, count, wrapped, filter, sort, targets } = populated;
  const attribute = collection.type.attributes.get(name)!;
  if (attribute.kind === 'scalar') throw new Error(`a scalar attribute cannot be populated: ${name}`);
  const base = { start: Buffer.from(`,${JSON.stringify(name)}:`), many: attribute.many, count, wrapped };
  if (isPolymorphic(attribute)) {
    const key = attribute.kind === 'dynamiczone' ? '__component' : '__type';
    const shapes: PolymorphicShape['targets'][number][] = [];
    for (const [uid, selection] of Object.entries(targets)) {
      const target = collectionOf(context.store, uid);
      shapes[target.number] = {
        visible: target.published && rowsOfStatus(target, context.status),
        entry: shapeEntry(context, target, selection),
        mark: Buffer.from(`,"${key}":${JSON.stringify(uid)}`),
      };
    }
    return { ...base, kind: 'polymorphic', links: collection.polymorphic.get(name)!, targets: shapes };
  }
  const target = collectionOf(context.store, attribute.target);
  let visible = target.published && rowsOfStatus(target, context.status);
  if (filter) {
    const matching = context.rowsWhere(target, filter);
    visible = visible ? matching.clone().intersect(visible) : matching;
  }
  return {
    ...base,
    kind: 'relation',
    links: collection.links.get(name)!.forward,
    visible,
    ranks: sort && sort.map((key) => rankBy(context.store, target, key)),
    entry: shapeEntry(context, target, targets[attribute.target]),
  };
}
