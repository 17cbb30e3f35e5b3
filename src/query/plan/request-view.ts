import type { CostBudget } from '../../core/cost-budget.ts';
import type { BitSet } from '../../core/sets/bit-set.ts';
import type { TextKeys } from '../../model/collations/collation.ts';
import { folderType, isLocalizations, isRelation, type RelationAttribute } from '../../model/schema/schema.ts';
import type { Adjacency, AdjacencyPair, PolymorphicAdjacency } from '../../store/links/adjacency.ts';
import { linkCountOf } from '../../store/links/link-counts.ts';
import type { Segment } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { type BoundQuery, everyVersion, folderOfFile } from '../bound.ts';
import type { DerivedLinks } from '../visible/derived-links.ts';
import type { Join, JoinedValues } from '../visible/joined-columns.ts';
import type { LanguageTexts } from '../visible/language-texts.ts';
import type { Scope } from '../visible/scope.ts';
import type { ScopeCache } from '../visible/scope-cache.ts';
import type { SearchIndexes } from '../visible/search-indexes.ts';
import type { VisibleSet } from '../visible/visible-set.ts';

import { unit } from './cost-units.ts';

/** A store as one request reads it. */
export interface RequestView {
  readonly store: Store;
  /** A part of the keys of cached rows. It differs between requests that differ in `reachable`. */
  readonly cacheKeyPart: string;
  /** Which versions of documents are shown. */
  readonly query: Versions;
  /**
   * The rows of a segment that count as related: filters and sorts ignore links to other rows. They are the live rows
   * of the status that the dialect chooses for related entries. Null: all rows.
   */
  reachable(segment: Segment): BitSet | null;
  /**
   * Returns a comparison behind a relation as one on the rows in front of it, if there is a column for it. It finds the same
   * rows in less time, and changes no cost.
   */
  joinedValues(join: Join): JoinedValues | null;
  /** The average number of `links` of the rows to which `before` leads. */
  averageLinksBehind(before: Adjacency, links: Adjacency): number;
  /** The keys by which texts are compared. Null: by their code points. */
  readonly textKeys: TextKeys | null;
  /** What is derived from the store and kept between requests. */
  readonly derived: DerivedContent;
  /** Gets to know which texts are searched. */
  readonly searches: SearchIndexes;
  /** The cost that the request may still incur. */
  readonly budget: CostBudget;
}

interface DerivedContent {
  readonly visible: ScopeCache;
  readonly derivedLinks: DerivedLinks;
  readonly languageTexts: LanguageTexts;
}

/** Which versions of documents a query selects. */
export type Versions = Pick<BoundQuery, 'status' | 'publication' | 'locales'>;

/** Returns the rows of a segment in a scope. The set is shared. */
export type FindVisible = (segment: Segment, scope: Scope) => VisibleSet;

/** Returns the rows that are shown where their type is populated. Null: all. */
export function populatedRows({ query, derived }: RequestView, segment: Segment): BitSet | null {
  const { status, publication, locales } = query;
  if (!segment.collection.published) return segment.live;
  return derived.visible.rowsFor(segment, { status, publication, locale: null, locales }).rows;
}

/** Returns the links of an attribute as they are populated: with fallback locales, they lead to the rows that are shown. */
export function populatedLinks(view: RequestView, segment: Segment, name: string): Adjacency {
  const pair = segment.collection.links.get(name)!;
  const { store, query } = view;
  const attribute = segment.collection.type.attributes.get(name);
  if (!query.locales || !attribute || !isRelation(attribute)) return pair.forward;
  const target = segmentOf(store, attribute.target);
  const ofStatus = view.derived.visible.rowsFor(target, { status: query.status, publication: null, locale: null }).rows;
  return toShown(view, segment, attribute, pair, target, ofStatus, 'populated').forward;
}

/** The same for polymorphic links. Components have no versions. */
export function populatedPolymorphicLinks(
  { store, query, derived: { visible, derivedLinks } }: RequestView,
  segment: Segment,
  name: string,
): PolymorphicAdjacency {
  const links = segment.collection.polymorphic.get(name)!;
  const { status, publication, locales } = query;
  if (!locales || segment.collection.type.attributes.get(name)?.kind === 'dynamiczone') return links;
  const ends = store.segments.filter(({ collection }) => collection.type.localized);
  const ofStatus = ends.map((end) => visible.rowsFor(end, { status, publication: null, locale: null }).rows);
  const shown = ends.map((end) => visible.shown(end, { status, publication, locales }));
  const byNumber = new Map(ends.map((end, i) => [end.collection.number, i]));
  const use = `${name} ${status} ${publication} ${locales.join()}`;
  return derivedLinks.redirectedPolymorphic(segment, use, ends, links, (row, collection) => {
    const end = byNumber.get(collection);
    if (end === undefined) return row;
    return ofStatus[end].has(row) ? shown[end].shownOf(row) : -1;
  });
}

/** Returns what redirecting links to shown versions costs, whether they are known or not. */
export function redirectingCost({ query }: RequestView, { rowCount }: Segment, links: Adjacency): number {
  return query.locales ? rowCount * unit.orderedRow + linkCountOf(links) * unit.reversedLink : 0;
}

/** Returns links that lead to the rows that are shown in place of those in `reached`. */
function toShown(
  { query, derived: { visible, derivedLinks } }: RequestView,
  segment: Segment,
  attribute: RelationAttribute,
  pair: AdjacencyPair,
  target: Segment,
  reached: BitSet | null,
  use: string,
): AdjacencyPair {
  const { status, publication, locales } = query;
  if (!locales || !target.collection.type.localized || isLocalizations(attribute)) return pair;
  const { shownOf } = visible.shown(target, { status, publication, locales });
  const key = `${attribute.name} ${status} ${publication} ${use} ${locales.join()}`;
  const redirect = (row: number) => (reached && !reached.has(row) ? -1 : shownOf(row));
  return derivedLinks.redirected(segment, key, target, pair.forward, redirect);
}

/** The links that a filter or a sort follows, and where they lead. */
interface Followed {
  readonly target: Segment;
  readonly links: AdjacencyPair;
}

/** Returns the links of an attribute, and the segment that they lead to. `component`: one of a dynamic zone. */
export function follow(view: RequestView, segment: Segment, name: string, component?: string): Followed {
  const { store } = view;
  const { type, links, versions } = segment.collection;
  if (component !== undefined) {
    const target = segmentOf(store, component);
    return { target, links: view.derived.derivedLinks.toComponents(segment, name, target) };
  }
  if (name === everyVersion && versions) return { target: segment, links: versions };
  const attribute = type.attributes.get(name);
  const pair = links.get(name);
  if (name === folderOfFile && !attribute) {
    const target = segmentOf(store, folderType);
    const files = target.collection.links.get('files')!;
    return { target, links: { forward: files.reverse, reverse: files.forward } };
  }
  if (!attribute || !isRelation(attribute) || !pair) throw new Error(`${type.uid} has no relation ${name} to follow`);
  const target = segmentOf(store, attribute.target);
  if (!view.query.locales) return { target, links: pair };
  const shown = toShown(view, segment, attribute, pair, target, view.reachable(target), view.cacheKeyPart);
  return { target, links: shown };
}
