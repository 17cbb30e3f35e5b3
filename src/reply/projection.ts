/**
 * A bound selection made ready for writing: attribute names resolved to runs of segments, relations to links, filters
 * to row sets. Made once per query; then an entry is copied together from jsonRows.
 */

import { isLocalizations, isPolymorphic } from '../model/schema.ts';
import {
  type Condition,
  type Fragment,
  isPlain,
  leadsToLocalizations,
  type Populated,
  populatesLocalizations,
  type Selection,
  type Window,
} from '../query/bound.ts';
import { type Ranks, ranksBy, sortCostOfReached } from '../run/sort-order.ts';
import type { Adjacency, PolymorphicAdjacency } from '../sets/adjacency.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { sortUnique } from '../sets/row-set.ts';
import type { Collection } from '../store/collection.ts';
import type { JsonRows } from '../store/json-rows.ts';
import { collectionOf, type StoreView } from '../store/store.ts';
import { byteCost, linkCost, partCost } from './cost.ts';
import { type DelimiterCache, type Delimiters, unsetLocale } from './delimiters.ts';

/** How many attributes stand before all others: `id` and `documentId`. */
const identityLength = 2;

/**
 * To sort a row of a list of links takes so much longer than one of many rows: lists have no order, and ranks are few.
 */
const listSort = 10;

/** To look at one link of a level, and to put what it leads to in order. */
const levelCost = 50;

export interface EntryProjection {
  readonly jsonRows: JsonRows;
  /** Pairs of first and end position in the jsonRows; each run is one copy. */
  readonly runs: readonly number[];
  /** The first run is id and documentId, and all that follows stands in an object `attributes`. */
  readonly inAttributes: boolean;
  readonly parts: readonly PartProjection[];
}

interface PartBase {
  readonly frame: Delimiters;
  /** To write its name, in steps. */
  readonly cost: number;
  readonly many: boolean;
  readonly count: boolean;
}

/** Related rows of one collection. */
export interface RelationProjection extends PartBase {
  readonly kind: 'relation';
  /** A count stands in `attributes`, as all that is in `data` does. */
  readonly nested: boolean;
  readonly links: Adjacency;
  /** The rows that may be shown; null: all. */
  readonly visible: BitSet | null;
  /** What stands at the end of each entry. */
  readonly mark: Buffer | undefined;
  /** How to sort them; null: in the order of connection. */
  readonly ranks: readonly Ranks[] | null;
  /** The part of the list that is written; null: all of it. */
  readonly window: Window | null;
  /** To look at one related row, in steps: whether it is shown, and where it stands. */
  readonly rowCost: number;
  readonly entry: EntryProjection;
}

/** Related rows of several collections, by collection number. A row of a collection that is not there is not shown. */
export interface PolymorphicProjection extends PartBase {
  readonly kind: 'polymorphic';
  readonly links: PolymorphicAdjacency;
  readonly targets: readonly (
    | { readonly visible: BitSet | null; readonly entry: EntryProjection /** `,"__type":"…"` */; readonly mark: Buffer }
    | undefined
  )[];
}

export type PartProjection = RelationProjection | PolymorphicProjection;

/** What shaping takes from the engine besides the store. */
export interface ProjectionContext {
  readonly view: StoreView;
  /** The rows of a collection that may be shown where they are populated; null: all of them. */
  readonly shown: (collection: Collection) => BitSet | null;
  /** The rows of a collection that may be shown, or of whatever status, and for which a filter is true. */
  readonly rowsWhere: (collection: Collection, condition: Condition, everyStatus: boolean) => BitSet;
  /** The other side of a polymorphic relation, and what is below it, shows the locale of types that have none. */
  readonly emitsNullLocale: boolean;
  /** Such a place has been reached. */
  readonly isBelowMorph: boolean;
  /**
   * Entries have their fields in `attributes`, and relations and media stand in `data`, as version 4 of the service
   * wrote them. Components stay flat, and so does all below a polymorphic relation.
   */
  readonly nests: boolean;
  readonly delimiters: DelimiterCache;
}

/** The parts of a shape that are the same for every request of a template; undefined for others. */
export type SharedParts = readonly (PartProjection | undefined)[];

/**
 * `level` has the rows that stand beside one another where entries of this shape are written: localizations that are
 * among them are left out. Null: none is. `known` are parts that have been shaped before.
 */
export function compileProjection(
  context: ProjectionContext,
  collection: Collection,
  selection: Selection,
  level: Uint32Array | null,
  known?: SharedParts,
): EntryProjection {
  const { jsonRows } = collection;
  const inAttributes = context.nests && collection.type.kind !== 'component';
  const runs = runsOf(jsonRows, selection.fields, inAttributes);
  const parts = selection.populate.map(
    (populated, i) => known?.[i] ?? shapePart(context, collection, populated, level),
  );
  return { jsonRows, runs, parts, inAttributes };
}

/** Of the parts of a shape those that hold no rows of their own. With a `level`, localizations do. */
export function sharedParts(
  { populate }: Selection,
  { parts }: EntryProjection,
  level: Uint32Array | null,
): SharedParts {
  return populate.map((populated, i) =>
    isPlain(populated) && !(level && leadsToLocalizations(populated)) ? parts[i] : undefined,
  );
}

function runsOf({ names }: JsonRows, fields: readonly string[] | null, inAttributes: boolean): number[] {
  if (fields === null && !inAttributes) return [0, names.length];
  const runs: number[] = [];
  for (const name of fields ?? names) {
    const position = names.indexOf(name);
    const isBorder = inAttributes && position === identityLength;
    if (runs.at(-1) === position && !isBorder) runs[runs.length - 1] = position + 1;
    else runs.push(position, position + 1);
  }
  return runs;
}

function shapePart(
  context: ProjectionContext,
  collection: Collection,
  populated: Populated,
  level: Uint32Array | null,
): PartProjection {
  const { attribute: name, count, wrapped, sort, targets } = populated;
  const attribute = collection.type.attributes.get(name)!;
  if (attribute.kind === 'scalar') throw new Error(`a scalar attribute cannot be populated: ${name}`);
  const { many } = attribute;
  if (isPolymorphic(attribute)) {
    const inner = attribute.kind === 'polymorphic' ? { ...context, nests: false } : context;
    const key = attribute.kind === 'dynamiczone' ? '__component' : '__type';
    const links = collection.polymorphic.get(name)!;
    const shapes: PolymorphicProjection['targets'][number][] = [];
    for (const [uid, fragment] of Object.entries(targets)) {
      const target = collectionOf(context.view.store, uid);
      const visible = visibleRows(context, target, fragment);
      const isThere = (link: number) => links.collections[link] === target.number;
      shapes[target.number] = {
        visible,
        entry: compileProjection(inner, target, fragment, nextLevel(context, fragment, links, level, visible, isThere)),
        mark: context.delimiters.typeMember(target.type, key, context.isBelowMorph && hasUnsetLocale(target, fragment)),
      };
    }
    const frame = context.delimiters.ofAttribute(attribute, false);
    return { kind: 'polymorphic', frame, cost: costOf(frame), many, count, links, targets: shapes };
  }
  const target = collectionOf(context.view.store, attribute.target);
  const fragment = targets[attribute.target];
  let visible = visibleRows(context, target, fragment);
  if (level && isLocalizations(attribute)) {
    visible = (visible ?? target.allRows).clone();
    for (const row of level) visible.delete(row);
  }
  const links = collection.links.get(name)!.forward;
  const isBelowMorph = context.isBelowMorph || (context.emitsNullLocale && attribute.fromPolymorphic === true);
  const inner = isBelowMorph === context.isBelowMorph ? context : { ...context, isBelowMorph };
  const nested = context.nests && attribute.kind !== 'component';
  const frame = context.delimiters.ofAttribute(attribute, wrapped || nested);
  // every field by name: objects that are spread into others are slow, and this is done for every part of a request
  return {
    kind: 'relation',
    frame,
    cost: costOf(frame),
    many,
    count,
    nested,
    links,
    visible,
    mark: isBelowMorph && hasUnsetLocale(target, fragment) ? unsetLocale : undefined,
    ranks: sort?.map((key) => ranksBy(context.view, target, key)) ?? null,
    window: populated.window ?? null,
    rowCost: (sort ?? []).reduce(
      (cost, { path }) => cost + listSort * sortCostOfReached(context.view, target, path, links),
      linkCost,
    ),
    entry: compileProjection(inner, target, fragment, nextLevel(context, fragment, links, level, visible)),
  };
}

function costOf({ start }: Delimiters): number {
  return partCost + start.length * byteCost;
}

/** The rows of a target that may be shown; null: all. */
function visibleRows(context: ProjectionContext, target: Collection, { filter, everyStatus }: Fragment): BitSet | null {
  if (filter) return context.rowsWhere(target, filter, everyStatus);
  return everyStatus ? null : context.shown(target);
}

/** Whether an entry shows a locale though its type has none, where it is not left out with other private attributes. */
function hasUnsetLocale({ type }: Collection, { fields }: Fragment): boolean {
  return !type.localized && type.kind !== 'component' && fields === null;
}

/** The rows that the links of a level lead to. Null where nobody will ask. */
function nextLevel(
  { view }: ProjectionContext,
  fragment: Fragment,
  { offsets, targets }: Adjacency,
  level: Uint32Array | null,
  visible: BitSet | null,
  isThere: (link: number) => boolean = () => true,
): Uint32Array | null {
  if (!level || !populatesLocalizations(fragment)) return null;
  const next: number[] = [];
  view.budget.charge(level.reduce((links, row) => links + offsets[row + 1] - offsets[row], level.length) * levelCost);
  for (const row of level) {
    for (let link = offsets[row], end = offsets[row + 1]; link < end; link++) {
      if (isThere(link) && (!visible || visible.has(targets[link]))) next.push(targets[link]);
    }
  }
  // to and fro, the same rows are reached over and over
  return sortUnique(Uint32Array.from(next));
}
