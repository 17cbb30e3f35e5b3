/**
 * Compiles a bound selection for writing: attribute names become ranges of JSON fragments, relations become links,
 * filters become row sets.
 */
import type { BitSet } from '../../core/sets/bit-set.ts';
import {
  isLocalizations,
  isPolymorphic,
  type LinkAttribute,
  type PolymorphicAttribute,
  type RelationAttribute,
} from '../../model/schema/schema.ts';
import type { Collection } from '../../store/collection.ts';
import type { JsonRows } from '../../store/json-rows.ts';
import { effectiveSortKeys } from '../../store/row-order.ts';
import type { Segment } from '../../store/segment.ts';
import { collectionOf, segmentOf } from '../../store/store.ts';
import {
  type Condition,
  isUnfiltered,
  leadsToLocalizations,
  type Populated,
  type RelatedSelection,
  type Selection,
  type SortKey,
} from '../bound.ts';
import { populatedLinks, populatedPolymorphicLinks, type RequestView, redirectingCost } from '../plan/request-view.ts';
import { linkedSortCost, rankingCost } from '../plan/sort-cost.ts';
import { compileSortKey } from '../run/ranks.ts';
import { byteCost, linkCost, listSortFactor, partCost } from './cost.ts';
import { type DelimiterCache, type Delimiters, nullLocaleMember } from './delimiters.ts';
import { type LevelRows, nextLevelRows } from './level-rows.ts';
import type {
  EntryProjection,
  PartProjection,
  PolymorphicProjection,
  RelationProjection,
  SharedParts,
} from './projection.ts';

/** The first attributes of every entry: `id` and `documentId`. */
const identityAttributes = 2;

/** What compiling a projection needs. */
interface ProjectionContext {
  readonly view: RequestView;
  /**
   * The rows of a collection that are visible where they are populated; null: all. `everyStatus`: of every status.
   * `everyLocale`: with fallback locales, of every locale.
   */
  readonly visible: (collection: Collection, everyStatus: boolean, everyLocale: boolean) => BitSet | null;
  /** The visible rows of a collection for which a filter is true. */
  readonly rowsWhere: (
    collection: Collection,
    condition: Condition,
    everyStatus: boolean,
    everyLocale: boolean,
  ) => BitSet;
  /** Below the inverse side of a polymorphic relation, entries of types without locales show `"locale": null`. */
  readonly emitsNullLocale: boolean;
  /** Whether the projection is below such a side. */
  readonly isBelowPolymorphic: boolean;
  /**
   * Entries have their fields in `attributes`, and relations and media are in `data`, as Strapi 4 wrote them.
   * Components stay flat, and so does everything below a polymorphic relation.
   */
  readonly wrapsAttributes: boolean;
  readonly delimiters: DelimiterCache;
}

/** `compiled` are parts of the same selection that have been compiled before. */
export function compileProjection(
  context: ProjectionContext,
  collection: Collection,
  selection: Selection,
  levelRows: LevelRows | null,
  compiled?: SharedParts,
): EntryProjection {
  const { jsonRows } = collection;
  const hasAttributesObject = context.wrapsAttributes && collection.type.kind !== 'component';
  const fragmentRanges = rangesOf(jsonRows, selection.fields, hasAttributesObject);
  const parts = selection.populate.map(
    (populated, i) => compiled?.[i] ?? compilePart(context, collection, populated, levelRows),
  );
  const { delta, changed: rows } = context.view.store.segments[collection.number];
  const changed = delta && rows && { rows, delta };
  return { collection: collection.number, jsonRows, changed, fragmentRanges, parts, hasAttributesObject };
}

/** Returns the parts that depend on no single request. Parts that omit localizations depend on the page. */
export function sharedParts(
  { populate }: Selection,
  { parts }: EntryProjection,
  levelRows: LevelRows | null,
): SharedParts {
  return populate.map((populated, i) =>
    isUnfiltered(populated) && !(levelRows && leadsToLocalizations(populated)) ? parts[i] : undefined,
  );
}

function rangesOf({ names }: JsonRows, fields: readonly string[] | null, hasAttributesObject: boolean): number[] {
  if (fields === null && !hasAttributesObject) return [0, names.length];
  const ranges: number[] = [];
  for (const name of fields ?? names) {
    const position = names.indexOf(name);
    const isBorder = hasAttributesObject && position === identityAttributes;
    if (ranges.at(-1) === position && !isBorder) ranges[ranges.length - 1] = position + 1;
    else ranges.push(position, position + 1);
  }
  return ranges;
}

function compilePart(
  context: ProjectionContext,
  collection: Collection,
  populated: Populated,
  levelRows: LevelRows | null,
): PartProjection {
  const name = populated.attribute;
  const attribute = collection.type.attributes.get(name)!;
  if (attribute.kind === 'scalar') {
    throw new Error(`a scalar attribute cannot be populated: ${name} of ${collection.type.uid}`);
  }
  if (isPolymorphic(attribute)) return compilePolymorphic(context, collection, populated, attribute, levelRows);
  return compileRelation(context, collection, populated, attribute, levelRows);
}

function compilePolymorphic(
  context: ProjectionContext,
  collection: Collection,
  { count, targets }: Populated,
  attribute: PolymorphicAttribute,
  levelRows: LevelRows | null,
): PolymorphicProjection {
  const inner = attribute.kind === 'polymorphic' ? { ...context, wrapsAttributes: false } : context;
  const key = attribute.kind === 'dynamiczone' ? '__component' : '__type';
  const { view } = context;
  const segment = view.store.segments[collection.number];
  const links = populatedPolymorphicLinks(view, segment, attribute.name);
  view.budget.charge(redirectingCost(view, segment, links));
  const projections: PolymorphicProjection['targets'][number][] = [];
  for (const [uid, selection] of Object.entries(targets)) {
    const target = collectionOf(context.view.store, uid);
    const selected = selectedRows(context, target, selection);
    const next = nextLevelRows(context.view, selection, links, levelRows, selected, target.number);
    const emitsNullLocale = context.isBelowPolymorphic && lacksLocale(target, selection);
    projections[target.number] = {
      selected,
      entry: compileProjection(inner, target, selection, next),
      suffix: context.delimiters.typeMember(target.type, key, emitsNullLocale),
    };
  }
  const delimiters = context.delimiters.ofAttribute(attribute, false);
  return {
    kind: 'polymorphic',
    attribute: context.view.store.schema.numberOf(attribute),
    delimiters,
    cost: costOf(delimiters),
    many: attribute.many,
    count,
    links,
    targets: projections,
  };
}

function compileRelation(
  context: ProjectionContext,
  collection: Collection,
  { count, wrapped, sort, window, targets }: Populated,
  attribute: RelationAttribute,
  levelRows: LevelRows | null,
): RelationProjection {
  const segment = segmentOf(context.view.store, attribute.target);
  const target = segment.collection;
  const selection = targets[attribute.target];
  const source = context.view.store.segments[collection.number];
  const links = populatedLinks(context.view, source, attribute.name);
  context.view.budget.charge(redirectingCost(context.view, source, links));
  const selected = relatedRows(context, segment, selection, attribute, levelRows);
  // what ordering the texts of a language costs, whichever rows are sorted
  const byLanguage = (sort ?? []).filter(({ by }) => by?.kind === 'language');
  if (byLanguage.length > 0) context.view.budget.charge(rankingCost(context.view, segment, byLanguage, 0));
  const isBelowPolymorphic =
    context.isBelowPolymorphic || (context.emitsNullLocale && attribute.fromPolymorphic === true);
  const inner = isBelowPolymorphic === context.isBelowPolymorphic ? context : { ...context, isBelowPolymorphic };
  const wrapsAttributes = context.wrapsAttributes && attribute.kind !== 'component';
  const delimiters = context.delimiters.ofAttribute(attribute, wrapped || wrapsAttributes);
  const next = nextLevelRows(context.view, selection, links, levelRows, selected);
  return {
    kind: 'relation',
    attribute: context.view.store.schema.numberOf(attribute),
    delimiters,
    cost: costOf(delimiters),
    many: attribute.many,
    count,
    countsInAttributes: wrapsAttributes,
    links,
    selected,
    suffix: isBelowPolymorphic && lacksLocale(target, selection) ? nullLocaleMember : undefined,
    ranks: sort ? sortKeys(sort, segment).map((key) => compileSortKey(context.view, segment, key)) : null,
    window: window ?? null,
    rowCost: (sort ?? []).reduce(
      (cost, key) => cost + listSortFactor * linkedSortCost(context.view, segment, key, links),
      linkCost,
    ),
    entry: compileProjection(inner, target, selection, next),
  };
}

/** In a segment in the order of ids, rows with equal keys are in that order anyway. */
function sortKeys(sort: readonly SortKey[], { isInIdOrder }: Segment): readonly SortKey[] {
  return isInIdOrder ? sort : effectiveSortKeys(sort, isInIdOrder);
}

function costOf({ start }: Delimiters): number {
  return partCost + start.length * byteCost;
}

/** The rows of a relation that are written; null: all. Localizations on the same level are omitted. */
function relatedRows(
  context: ProjectionContext,
  { collection, allRows }: Segment,
  selection: RelatedSelection,
  attribute: LinkAttribute,
  levelRows: LevelRows | null,
): BitSet | null {
  const selected = selectedRows(context, collection, selection, isLocalizations(attribute));
  if (!levelRows || !isLocalizations(attribute)) return selected;
  const others = (selected ?? allRows).clone();
  for (const row of levelRows) others.delete(row);
  return others;
}

/** The visible rows of a target that its filter selects; null: all. */
function selectedRows(
  context: ProjectionContext,
  target: Collection,
  { filter, everyStatus }: RelatedSelection,
  everyLocale = false,
): BitSet | null {
  if (filter) return context.rowsWhere(target, filter, everyStatus, everyLocale);
  return context.visible(target, everyStatus, everyLocale);
}

/** Whether the row of an entry has no locale: its type has none, and the query chooses no fields. */
function lacksLocale({ type }: Collection, { fields }: RelatedSelection): boolean {
  return !type.localized && type.kind !== 'component' && fields === null;
}
