/** What a dialect decides about reading a query. Binding asks these policies and knows no dialect. */
import type { PermissionSet } from '../model/access/permissions.ts';
import type { EntryType, LinkAttribute, RelationAttribute, ScalarAttribute, Schema } from '../model/schema/schema.ts';
import type { CastPolicy } from './bind/cast.ts';
import type { BindingContext } from './bind/context.ts';
import type {
  PopulateCheckPolicy,
  PopulateResultPolicy,
  PopulateSyntaxPolicy,
} from './bind/populate/populate-policies.ts';
import type { Condition, Page, Populated, SortKey, Status } from './bound.ts';
import type { ErrorPolicy } from './errors.ts';
import type { Comparison } from './operators.ts';
import type { FilterNode } from './syntax/filter-nodes.ts';
import type { Part } from './syntax/location.ts';
import type { FieldsNode, PaginationNode, ParameterNode, RootPageNode } from './syntax/parameter-nodes.ts';
import type { LongListReader } from './syntax/parse.ts';
import type { QueryTree } from './syntax/query-tree.ts';
import type { SortNode } from './syntax/sort-nodes.ts';

/** The policies of one dialect for content of one version. They are chosen once, when the content is opened. */
export interface QueryPolicies {
  readonly request: RequestPolicy;
  readonly casts: CastPolicy;
  readonly errors: ErrorPolicy;
  readonly database: DatabasePolicy;
  readonly filter: FilterPolicy;
  readonly sort: SortPolicy;
  readonly page: PagePolicy;
  readonly version: VersionPolicy;
  readonly selection: SelectionPolicy;
  readonly populateSyntax: PopulateSyntaxPolicy;
  readonly populateChecks: PopulateCheckPolicy<Binding>;
  readonly populateResult: PopulateResultPolicy;
}

/** What binding uses besides the query. */
export interface Binding extends BindingContext {
  readonly policies: QueryPolicies;
}

/** What is decided and checked for the request as a whole. Names in `populate` are checked by the same methods. */
export interface RequestPolicy {
  /** The parameters that have a meaning. */
  readonly parameters: ReadonlySet<string>;
  /**
   * Returns a query with objects in place of lists above the limit, which `PopulateSyntaxPolicy.checkLength` rejects.
   */
  readonly readLongLists: LongListReader;
  /** Throws for a parameter that does not exist. */
  checkParameters(parameters: readonly ParameterNode[]): void;
  /** A parameter that does not exist is no mistake. */
  readonly ignoresUnknownParameters: boolean;
  /** Returns whether a parameter changes neither replies nor errors, whatever its value. */
  ignores(name: string): boolean;
  /** Throws for a wrong name in `filters`. Strapi checks all names before any value. */
  checkFilterNames(context: BindingContext, type: EntryType, filters: FilterNode, param: string): void;
  /** The same for `sort`. */
  checkSortNames(context: BindingContext, type: EntryType, sort: SortNode, param: string): void;
  /** Returns whether the id in the path alone selects the row. Of filters and sort, only names are then checked. */
  readsIdOnly(route: RouteContext): boolean;
  /** Resolves conflicts: `locale` may be a parameter and a filter, `documentId` a part of the path and a filter. */
  resolveConflicts(route: RouteContext, tree: QueryTree): ResolvedConflicts;
  /** Throws for a valid query that the dialect answers for lists only. */
  checkAnswerable(binding: Binding, type: EntryType, filters: FilterNode, sort: readonly SortKey[]): void;
}

interface ResolvedConflicts {
  readonly filters: FilterNode;
  readonly locale: LocaleNode;
}

/** In place of the parameter `locale`: every locale, because a filter or the path selects the rows. */
export const everyLocale = Symbol('every locale');

export type LocaleNode = ParameterNode | typeof everyLocale;

/** What the database decides that the content comes from. */
export interface DatabasePolicy {
  /** Null is less than every value of a sort. Otherwise it is greater. */
  readonly nullIsLeast: boolean;
  /** Returns the comparison that the database makes of an attribute in place of PostgreSQL's. */
  comparisonFor(comparison: Comparison, attribute: ScalarAttribute): Comparison;
  /** The same for a comparison that `_q` makes. */
  searchComparisonFor(comparison: Comparison, attribute: ScalarAttribute): Comparison;
  /** Returns whether a sort by JSON or blocks sorts their text. Otherwise their values count as equal. */
  sortsJsonText(attribute: ScalarAttribute): boolean;
  /** Columns take operands and operators of their type only, and a sort names a column once. */
  readonly columnsAreTyped: boolean;
}

/** What filters mean. */
export interface FilterPolicy {
  /** Returns whether the filters count as absent, as an empty text in `populate` does in Strapi. */
  countsAsAbsent(filters: FilterNode, part: Part): boolean;
  /** Returns whether filters and sorts may lead through an attribute. Permissions are checked elsewhere. */
  leadsThrough(attribute: RelationAttribute): boolean;
  /** Returns the name of an attribute in the path of a bound query: its own, or `everyVersion`. */
  boundName(attribute: RelationAttribute): string;
  /**
   * Returns whether `$not` around an attribute means "no related entry matches". Otherwise it means "some related entry
   * does not match".
   */
  negatesAsAntiJoin(attribute: LinkAttribute): boolean;
  /** Returns whether JSON or blocks can be compared in this way. */
  comparesJson(attribute: ScalarAttribute, comparison: Comparison): boolean;
  /** Returns how `_q` compares a text. */
  searchComparison(text: string): Comparison;
  /** Returns whether `_q` searches an attribute. Types that cannot be searched are left out elsewhere. */
  isSearched(attribute: ScalarAttribute): boolean;
}

/** One sort key before its names are resolved. */
export interface UnresolvedSortKey {
  readonly names: readonly string[];
  /** Undefined or null: ascending. */
  readonly order: unknown;
  /** The text that the key was read from, for messages. */
  readonly text?: string;
}

export interface SortPolicy {
  /** Returns the keys of a sort, without those that the dialect ignores. Throws for a wrong form. */
  read(schema: Schema, type: EntryType, sort: SortNode, part: Part): readonly UnresolvedSortKey[];
}

export interface PagePolicy {
  /** Returns the paging of a route that does not serve pages: a list of all entries, or one entry or count. */
  pagingOfUnpagedRoute(isList: boolean): Paging;
  /** Mistakes in `pagination` are reported on routes that ignore it, too. */
  readonly checksUnused: boolean;
  /** Throws for page parameters outside of `pagination`. */
  checkRootPage(root: RootPageNode): void;
  /** Returns the values of `pagination` by key. Throws if it has a wrong form or an unknown key. */
  readMembers(node: PaginationNode): Readonly<Record<string, unknown>>;
  /** Throws for a value that is not written as a number should be. `number` is its value as JavaScript reads it. */
  checkNumber(name: string, value: unknown, number: number): void;
  /** Returns whether a limit asks for the maximum. */
  isMaximum(limit: number): boolean;
}

/** The versions of a document that a query selects: status, publication and locale. */
export interface VersionPolicy {
  /** Returns the parameter `publicationState`. Throws for a value that does not exist. */
  publicationState(node: ParameterNode): 'live' | 'preview' | null;
  /** Throws for a status that does not exist. */
  checkStatus(status: ParameterNode): void;
  /** The default status for types of plugins. Null: every status. */
  readonly statusOfPlugins: Status | null;
  /** The status that a query for drafts selects. Null: drafts and published rows side by side. */
  readonly drafts: Status | null;
  /** Throws if the caller may not read drafts. */
  checkDrafts(permissions: PermissionSet): void;
  /** Returns the value of `hasPublishedVersion`; null if it is neither true nor false. */
  publishedFlag(value: unknown): boolean | null;
  /** Returns a locale with aliases resolved. Throws for a locale that does not exist. */
  readLocale(context: BindingContext, locale: LocaleNode): LocaleNode;
}

/** The names in `fields`. */
export interface FieldNames {
  /** Names without blanks. */
  readonly names: readonly string[];
  readonly hasStar: boolean;
  /** The form is wrong. This is reported after wrong names. */
  readonly isMalformed: boolean;
}

/** The rows that a selection is for. */
export interface SelectedRows {
  readonly schema: Schema;
  /** The populated attribute that leads to them; null for the rows of the query itself. */
  readonly attribute: LinkAttribute | null;
  readonly filter: Condition | null;
  readonly sort: readonly SortKey[];
}

/** Which attributes an entry is served with. */
export interface SelectionPolicy {
  /** Returns the names in `fields`. Null if something in it is no text. */
  readFields(node: FieldsNode): FieldNames | null;
  /** A private name in `fields` or `populate` is reported after the other wrong names beside it. */
  readonly reportsPrivateLast: boolean;
  /** Returns the sort keys that are served beside the chosen fields, as Strapi does where it joins tables. */
  fieldsAddedBySort(rows: SelectedRows): readonly string[];
  /** Returns what is populated beside chosen fields. Strapi 5 loses some relations then. */
  populatedBesideFields(type: EntryType, populate: readonly Populated[]): readonly Populated[];
  /** Returns the filter of rows that are served with chosen fields. Strapi 5 finds no rows of some relations then. */
  filterBesideFields(rows: SelectedRows): Condition | null;
}

/** How the page of a route is bound: from `pagination`, not at all, or from other parameters. */
export type Paging = 'pagination' | 'none' | ((root: RootPageNode) => Page);

/** The properties of a route that decide how its query is read. */
export interface RouteContext {
  readonly type: EntryType;
  readonly paging: Paging;
  /** `locale` may list several locales. */
  readonly takesSeveralLocales: boolean;
  /** Replies have a `meta` that takes facets. */
  readonly hasFacets: boolean;
  /** The route reads one entry or counts, so a dialect may reject filters and sorts that it answers for lists only. */
  readonly checksAnswerable: boolean;
  /** The path names a document. */
  readonly namesDocument: boolean;
  /** The path names one row of a document, so no locale has to be chosen. */
  readonly namesRow: boolean;
  /** The type belongs to a plugin, such as files and users. Its rows have no drafts of their own. */
  readonly isPluginType: boolean;
}
