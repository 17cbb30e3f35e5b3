import { linkedSortCost } from '../plan/cost-model.ts';
/**
 * Compiles a bound selection for writing: attribute names become ranges of JSON fragments, relations become links,
 * filters become row sets. An entry is then copied from the stored JSON rows.
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
import { type Ranks, ranksBy } from '../run/sort-order.ts';
import type { Adjacency, PolymorphicAdjacency } from '../sets/adjacency.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { sortUnique } from '../sets/row-set.ts';
import type { Collection } from '../store/collection.ts';
import type { JsonRows } from '../store/json-rows.ts';
import { collectionOf, type StoreView } from '../store/store.ts';
import { byteCost, linkCost, partCost } from './cost.ts';
import { type DelimiterCache, type Delimiters, unsetLocale } from './delimiters.ts';

/** The first attributes of every entry: `id` and `documentId`. */
const identityLength = 2;

/** Sorting one row of a list of links costs this many times what sorting one of many rows does. */
const listSort = 10;

/** Cost of following one link of a level and sorting its target. */
const levelCost = 50;

export interface EntryProjection {
  readonly jsonRows: JsonRows;
  /** Pairs of first and end position among a row's fragments. Each range is one copy. */
  readonly fragmentRanges: readonly number[];
  /** The first range is id and documentId, and everything after it is in an object `attributes`. */
  readonly inAttributes: boolean;
  readonly parts: readonly PartProjection[];
}

interface PartBase {
  readonly delimiters: Delimiters;
  /** Cost of writing its name. */
  readonly cost: number;
  readonly many: boolean;
  readonly count: boolean;
}

/** Related rows of one collection. */
export interface RelationProjection extends PartBase {
  readonly kind: 'relation';
  /** A count is in `attributes`, as everything in `data` is. */
  readonly nested: boolean;
  readonly links: Adjacency;
  /** The rows that may be shown; null: all. */
  readonly visible: BitSet | null;
  /** The last members of each entry. */
  readonly suffix: Buffer | undefined;
  /** How to sort them; null: in the order of connection. */
  readonly ranks: readonly Ranks[] | null;
  /** The part of the list that is written; null: all of it. */
  readonly window: Window | null;
  /** Cost of one related row: finding out whether it is visible, and sorting it. */
  readonly rowCost: number;
  readonly entry: EntryProjection;
}

/** Related rows of several collections, by collection number. Rows of collections that are not listed are not shown. */
export interface PolymorphicProjection extends PartBase {
  readonly kind: 'polymorphic';
  readonly links: PolymorphicAdjacency;
  readonly targets: readonly (
    | { readonly visible: BitSet | null; readonly entry: EntryProjection; readonly suffix: Buffer }
    | undefined
  )[];
}

export type PartProjection = RelationProjection | PolymorphicProjection;

/** What compiling a projection needs. */
export interface ProjectionContext {
  readonly view: StoreView;
  /** The rows of a collection that may be shown where they are populated; null: all of them. */
  readonly visible: (collection: Collection) => BitSet | null;
  /** The rows of a collection that may be shown, or of whatever status, and for which a filter is true. */
  readonly rowsWhere: (collection: Collection, condition: Condition, everyStatus: boolean) => BitSet;
  /** Entries below the inverse side of a polymorphic relation show a locale of null if their type has none. */
  readonly emitsNullLocale: boolean;
  /** The projection is below such a side. */
  readonly isBelowMorph: boolean;
  /**
   * Entries have their fields in `attributes`, and relations and media are in `data`, as Strapi 4 wrote them.
   * Components stay flat, and so does everything below a polymorphic relation.
   */
  readonly nests: boolean;
  readonly delimiters: DelimiterCache;
}

/** The parts of a projection that are the same for every request of a prepared query; undefined for others. */
export type SharedParts = readonly (PartProjection | undefined)[];

/**
 * `level` holds the rows that are written beside one another with this projection. Localizations among them are left
 * out; null: none are. `known` are parts that have been compiled before.
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
  const fragmentRanges = rangesOf(jsonRows, selection.fields, inAttributes);
  const parts = selection.populate.map(
    (populated, i) => known?.[i] ?? compilePart(context, collection, populated, level),
  );
  return { jsonRows, fragmentRanges, parts, inAttributes };
}

/** Returns the parts that hold no rows of one request. With a `level`, localizations do. */
export function sharedParts(
  { populate }: Selection,
  { parts }: EntryProjection,
  level: Uint32Array | null,
): SharedParts {
  return populate.map((populated, i) =>
    isPlain(populated) && !(level && leadsToLocalizations(populated)) ? parts[i] : undefined,
  );
}

function rangesOf({ names }: JsonRows, fields: readonly string[] | null, inAttributes: boolean): number[] {
  if (fields === null && !inAttributes) return [0, names.length];
  const ranges: number[] = [];
  for (const name of fields ?? names) {
    const position = names.indexOf(name);
    const isBorder = inAttributes && position === identityLength;
    if (ranges.at(-1) === position && !isBorder) ranges[ranges.length - 1] = position + 1;
    else ranges.push(position, position + 1);
  }
  return ranges;
}

function compilePart(
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
    const projections: PolymorphicProjection['targets'][number][] = [];
    for (const [uid, fragment] of Object.entries(targets)) {
      const target = collectionOf(context.view.store, uid);
      const visible = visibleRows(context, target, fragment);
      const isThere = (link: number) => links.collections[link] === target.number;
      projections[target.number] = {
        visible,
        entry: compileProjection(inner, target, fragment, nextLevel(context, fragment, links, level, visible, isThere)),
        suffix: context.delimiters.typeMember(
          target.type,
          key,
          context.isBelowMorph && hasUnsetLocale(target, fragment),
        ),
      };
    }
    const delimiters = context.delimiters.ofAttribute(attribute, false);
    return { kind: 'polymorphic', delimiters, cost: costOf(delimiters), many, count, links, targets: projections };
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
  const delimiters = context.delimiters.ofAttribute(attribute, wrapped || nested);
  // no spread: this runs for every part of a request, and spreading is slow
  return {
    kind: 'relation',
    delimiters,
    cost: costOf(delimiters),
    many,
    count,
    nested,
    links,
    visible,
    suffix: isBelowMorph && hasUnsetLocale(target, fragment) ? unsetLocale : undefined,
    ranks: sort?.map((key) => ranksBy(context.view, target, key)) ?? null,
    window: populated.window ?? null,
    rowCost: (sort ?? []).reduce(
      (cost, { path }) => cost + listSort * linkedSortCost(context.view, target, path, links),
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
  return everyStatus ? null : context.visible(target);
}

/** Whether an entry shows a locale of null: its type has none, and the query chooses no fields. */
function hasUnsetLocale({ type }: Collection, { fields }: Fragment): boolean {
  return !type.localized && type.kind !== 'component' && fields === null;
}

/** The rows that the links of a level lead to. Null if no localizations are populated below. */
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
  // links in both directions reach the same rows again and again
  return sortUnique(Uint32Array.from(next));
}
