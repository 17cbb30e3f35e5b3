import type { Parameter } from './parameters.ts';

/** A URL as the explorer shows it. Plain data. Every part is in the order of the URL. */
export interface ExploredQuery {
  /** Below the prefix, without query string: `articles` or `articles/abc123`. As it is written in the URL. */
  readonly path: string;
  readonly selection: Selection;
  readonly filters: readonly FilterItem[];
  readonly sort: readonly SortItem[];
  /** The members of `pagination` as they are written. */
  readonly page: Readonly<Partial<Record<'page' | 'pageSize' | 'start' | 'limit' | 'withCount', string>>>;
  readonly status: string | null;
  readonly locale: string | null;
  /** The parameter `_q`. */
  readonly search: string | null;
  /** Dotted paths. */
  readonly facets: readonly string[];
  /** What has no control on the screen. It is shown as text and printed as it was written. */
  readonly kept: readonly Parameter[];
}

/** What is shown of an entry. */
export interface Selection {
  /** Null: all. */
  readonly fields: readonly string[] | null;
  /** `populate=*`: every relation, one level deep. Then `populate` is empty. */
  readonly populatesAll: boolean;
  readonly populate: readonly Populated[];
  /**
   * The texts of `populate=author.team,tags`, each printed as it was written. `populate` shows what they lead to. They
   * are undefined if `populate` is written in brackets, which mean something else where a path leads through a dynamic
   * zone, or ends in a polymorphic relation.
   */
  readonly paths?: readonly string[];
}

/** A populated attribute. */
export interface Populated {
  readonly attribute: string;
  readonly selection: Selection;
  /** `populate[x][count]=true` */
  readonly count: boolean;
  /**
   * Its other options, such as `filters`, `sort` and `on`. Paths are below the attribute: `filters`, `name`, `$eq`. The
   * path of `populate[x]=*` is empty.
   */
  readonly kept: readonly Parameter[];
}

/** One condition, or some that a logical operator combines. */
export type FilterItem = FilterChip | FilterGroup;

/** One operator applied to one attribute. */
export interface FilterChip {
  readonly kind: 'chip';
  /** Relations, then the attribute. */
  readonly path: readonly string[];
  readonly operator: string;
  readonly value: string | null | readonly string[];
}

/** Returns what two chips must not have in common to be members of one object. */
export function keyOfChip({ path, operator }: FilterChip): string {
  return [...path, operator].join(' ');
}

/** Returns whether chips can be members of one object. */
export function haveOwnKeys(chips: readonly FilterChip[]): boolean {
  return new Set(chips.map(keyOfChip)).size === chips.length;
}

/** Chips below one logical operator. Deeper groups are among `kept` of the query. */
export interface FilterGroup {
  readonly kind: 'group';
  readonly operator: '$or' | '$and' | '$not';
  readonly chips: readonly FilterChip[];
}

/** A sort key. */
export interface SortItem {
  /** Names joined by dots. */
  readonly path: string;
  readonly descending: boolean;
}

/** The members of `pagination`. */
export const pageNames = ['page', 'pageSize', 'start', 'limit', 'withCount'] as const;

/** All fields, and no relations. */
export const plainSelection: Selection = { fields: null, populatesAll: false, populate: [] };
