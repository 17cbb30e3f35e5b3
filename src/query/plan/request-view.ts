import type { CostBudget } from '../../core/cost-budget.ts';
import type { BitSet } from '../../core/sets/bit-set.ts';
import type { TextKeys } from '../../model/collations/collation.ts';
import { isRelation } from '../../model/schema/schema.ts';
import type { Adjacency, AdjacencyPair } from '../../store/links/adjacency.ts';
import type { Segment } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { type BoundQuery, everyVersion } from '../bound.ts';
import type { DerivedLinks } from '../visible/derived-links.ts';
import type { Join, JoinedValues } from '../visible/joined-columns.ts';
import type { Scope } from '../visible/scope.ts';
import type { SearchIndexes } from '../visible/search-indexes.ts';
import type { VisibleSet } from '../visible/visible-set.ts';

/** A store as one request reads it. */
export interface RequestView {
  readonly store: Store;
  /** A part of the keys of cached rows. It differs between requests that differ in `reachable`. */
  readonly cacheKeyPart: string;
  /** The versions of documents that the query selects. */
  readonly query: Versions;
  /** Returns the rows of a segment in a scope. */
  readonly visible: FindVisible;
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
  readonly derivedLinks: DerivedLinks;
  /** Gets to know which texts are searched. */
  readonly searches: SearchIndexes;
  /** The cost that the request may still incur. */
  readonly budget: CostBudget;
}

/** Which versions of documents a query selects. */
export type Versions = Pick<BoundQuery, 'status' | 'publication'>;

/** Returns the rows of a segment in a scope. The set is shared. */
export type FindVisible = (segment: Segment, scope: Scope) => VisibleSet;

/** Returns the rows that are shown where their type is populated. Null: all. */
export function populatedRows({ query, visible }: RequestView, segment: Segment): BitSet | null {
  const { status, publication } = query;
  return segment.collection.published ? visible(segment, { status, publication, locale: null }).rows : segment.live;
}

/** The links that a filter or a sort follows, and where they lead. */
interface Followed {
  readonly target: Segment;
  readonly links: AdjacencyPair;
}

/** Returns the links of an attribute, and the segment that they lead to. `component`: one of a dynamic zone. */
export function follow(
  { store, derivedLinks }: RequestView,
  segment: Segment,
  name: string,
  component?: string,
): Followed {
  const { type, links, versions } = segment.collection;
  if (component !== undefined) {
    const target = segmentOf(store, component);
    return { target, links: derivedLinks.toComponents(segment, name, target) };
  }
  if (name === everyVersion && versions) return { target: segment, links: versions };
  const attribute = type.attributes.get(name);
  const pair = links.get(name);
  if (!attribute || !isRelation(attribute) || !pair) throw new Error(`${type.uid} has no relation ${name} to follow`);
  return { target: segmentOf(store, attribute.target), links: pair };
}
