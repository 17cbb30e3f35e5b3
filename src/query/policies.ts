/** What a dialect decides about reading a query. Binding asks these policies and knows no dialect. */
import type { PermissionSet } from '../access/permissions.ts';
import type {
  EntryType,
  LinkAttribute,
  PolymorphicAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../model/schema.ts';
import type { CastPolicy } from './bind/cast.ts';
import type { BindingContext } from './bind/context.ts';
import type { Condition, Populated, SortKey, Status } from './bound.ts';
import type { MessagePolicy } from './messages.ts';
import type { Comparison } from './operators.ts';
import type { FieldsNode } from './syntax/fields-node.ts';
import type { FilterNode } from './syntax/filter-nodes.ts';
import type { Part, PopulatePlace } from './syntax/location.ts';
import type { RawQuery } from './syntax/parse.ts';
import type {
  OnNode,
  OptionsNode,
  PathsNode,
  PopulateEntry,
  PopulateNode,
  PopulateOptions,
  TreeNode,
} from './syntax/populate-nodes.ts';
import type { QueryTree } from './syntax/query-tree.ts';
import type { SortNode } from './syntax/sort-nodes.ts';

/** The policies of one dialect for content of one version. They are chosen once, when the content is opened. */
export interface QueryPolicies {
  readonly request: RequestPolicy;
  readonly casts: CastPolicy;
  readonly messages: MessagePolicy;
  readonly filter: FilterPolicy;
  readonly sort: SortPolicy;
  readonly page: PagePolicy;
  readonly version: VersionPolicy;
  readonly selection: SelectionPolicy;
  readonly populate: PopulatePolicy;
}

/** What a route asks for, as far as it decides how a query is read. */
export interface RouteContext {
  readonly type: EntryType;
  /** A collection, in pages; otherwise a bare list, one entry or a count. */
  readonly isList: boolean;
  /** One entry that must match the filter, or a count. */
  readonly isOne: boolean;
  readonly paging: Paging;
  /** The path names a document. */
  readonly namesDocument: boolean;
  /** The path names one row of a document, so no locale has to be chosen. */
  readonly namesRow: boolean;
  /** The type has no routes of its own kind, so a query without `status` may mean every status. */
  readonly ofEveryStatus: boolean;
}

/** Checks of the whole request, in the order in which they are reported. */
export interface RequestPolicy {
  /** The parameters that mean something. */
  readonly parameters: ReadonlySet<string>;
  /** A list in `populate` that is too long becomes an object with numbers for keys, for binding to reject. */
  readonly numbersLongLists: boolean;
  /** Throws for a parameter that does not exist. */
  checkParameters(query: RawQuery): void;
  /** Throws for a wrong name in `filters`, before any value is looked at. */
  checkFilterNames(context: BindingContext, type: EntryType, filters: FilterNode, param: string): void;
  /** The same for `sort`. */
  checkSortNames(context: BindingContext, type: EntryType, sort: SortNode, param: string): void;
  /** Returns whether of filters, sort and `_q` only the names count, because the path names a row. */
  readsIdOnly(route: RouteContext): boolean;
  /** Returns filters and locale without the one of two that give the same attribute which counts for nothing. */
  lookup(route: RouteContext, tree: QueryTree): Lookup;
  /** Throws for a request for one entry that has a meaning and that the dialect does not answer. */
  checkAnswerable(context: BindingContext, type: EntryType, filters: FilterNode, sort: readonly SortKey[]): void;
}

export interface Lookup {
  readonly filters: FilterNode;
  /** The parameter, or `everyLocale`. */
  readonly locale: unknown;
}

/** In place of a locale: every locale, because a filter or the path restricts it. */
export const everyLocale = Symbol('every locale');

/** What filters mean. */
export interface FilterPolicy {
  /** Returns whether the filters are absent although they are written. */
  isAbsent(filters: FilterNode, part: Part): boolean;
  /** Returns whether filters and sorts may lead through an attribute that the caller may follow. */
  leadsThrough(attribute: RelationAttribute): boolean;
  /** Returns the name in a bound query of an attribute that is led through. */
  boundName(attribute: RelationAttribute): string;
  /**
   * Returns whether `$not` around an attribute means that no related entry makes the filter inside true. Otherwise it
   * moves inside: some related entry is not so.
   */
  negatesWhole(attribute: RelationAttribute): boolean;
  /** Returns whether JSON or blocks can be compared in this way. */
  comparesJson(attribute: ScalarAttribute, comparison: Comparison): boolean;
  /** Returns how `_q` compares a text. */
  searchComparison(text: string): Comparison;
  /** Returns whether `_q` looks into an attribute, if its type can be searched. */
  isSearched(attribute: ScalarAttribute): boolean;
}

/** One sort key as it was written. */
export interface WrittenSortKey {
  readonly names: readonly string[];
  /** Undefined or null: ascending. */
  readonly order: unknown;
  /** The text that it was read from, if it was text. */
  readonly text?: string;
}

export interface SortPolicy {
  /** Returns the keys of a sort. Throws if it has a wrong form. */
  read(schema: Schema, type: EntryType, sort: SortNode, part: Part): readonly WrittenSortKey[];
}

/**
 * Where a route looks for its window: in `pagination`, in `start` and `limit` of the root (without a maximum, and for
 * one entry too: with a start there is none), or nowhere.
 */
export type Paging = 'pagination' | 'root' | 'none';

export interface PagePolicy {
  /** The paging of routes that have no pages of their own. `listsAll`: they list every entry. */
  pagingWithoutPages(listsAll: boolean): Paging;
  /** Throws for a mistake in a `pagination` that the route does not use. */
  readonly checksUnused: boolean;
  /** Returns `pagination` as an object. Throws if it has a wrong form or an unknown key. */
  readObject(pagination: unknown): Readonly<Record<string, unknown>>;
  /** Throws for a value that is no number in the required form. `number` is what it was read as. */
  checkNumber(name: string, value: unknown, number: number): void;
  /** Returns whether a limit asks for the maximum. */
  isMaximum(limit: number): boolean;
}

/** Which versions of a document a query asks for: status, publication and locale. */
export interface VersionPolicy {
  /** Returns the parameter `publicationState`. Throws for a value that does not exist. */
  publicationState(value: unknown): 'live' | 'preview' | null;
  /** Throws for a status that does not exist. */
  checkStatus(status: unknown): void;
  /** The status on routes that know of none, if the query names none. */
  readonly statusElsewhere: Status | null;
  /** The status of the rows that a request for drafts finds; null if they are shown beside published rows. */
  readonly drafts: Status | null;
  /** Throws if the caller may not read drafts. */
  checkDrafts(permissions: PermissionSet): void;
  /** Returns the value of `hasPublishedVersion`; null if it is neither true nor false. */
  publishedFlag(value: unknown): boolean | null;
  /** Returns a locale as it is to be read. Throws for one that does not exist. */
  readLocale(context: BindingContext, locale: unknown): unknown;
}

/** The names in `fields`. */
export interface FieldNames {
  /** Names without blanks. */
  readonly names: readonly string[];
  readonly hasStar: boolean;
  /** The form is a mistake that is reported after wrong names. */
  readonly isMalformed: boolean;
}

/** Which attributes an entry is served with. */
export interface SelectionPolicy {
  /** Returns the names in `fields`. Null if something in it is no text. */
  readFields(node: FieldsNode): FieldNames | null;
  /** A private name is reported after all other wrong names. */
  readonly reportsPrivateLast: boolean;
  /** Returns the names that are served beside the chosen fields. `sort` is that of a joined query. */
  fieldsOfSort(sort: readonly SortKey[]): readonly string[];
  /** Returns the populated attributes of an entry that is served with chosen fields only. */
  besideFields(type: EntryType, populate: readonly Populated[]): readonly Populated[];
  /** Returns the filter of populated rows that hold the foreign key themselves and have chosen fields. */
  filterOfChosen(filter: Condition | null): Condition | null;
}

/** Binds something nested as a caller who may read everything, to find the mistakes in it. */
export interface NestedCheck {
  readonly context: BindingContext;
  fields(type: EntryType, node: FieldsNode | null, part: Part): void;
  populate(type: EntryType, node: PopulateNode | null): void;
}

/** A path of `populate`. */
export interface PopulatePath {
  /** At least one; each names what can be populated, as far as types tell. */
  readonly names: readonly string[];
  /** A polymorphic relation at its end shows rows of the asked status, not of every one. */
  readonly ofAskedStatus: boolean;
}

/** What `populate` means. */
export interface PopulatePolicy {
  /** Returns `populate` in the form that is bound. */
  rewrite(schema: Schema, type: EntryType, node: PopulateNode | null): PopulateNode | null;
  /** Returns the paths of a text or a list. Throws for wrong names. */
  readPaths(context: BindingContext, type: EntryType, node: PathsNode): readonly PopulatePath[];
  /** Throws for an object that the parser made of a list that is too long. */
  checkLength(context: BindingContext, node: TreeNode | PopulateOptions): void;
  /** Returns the entries in the order in which they are checked. */
  inOrderOfChecks(type: EntryType, entries: readonly PopulateEntry[]): readonly PopulateEntry[];
  /** Returns whether a key that is no attribute of the type is ignored. Throws for a mistake in its value. */
  ignoresKey(type: EntryType, key: string, raw: unknown, place: PopulatePlace, check: NestedCheck): boolean;
  /** Returns whether a key among the options of a relation is ignored. */
  ignoresOption(key: string): boolean;
  /** Returns whether the options of a private attribute are checked before it is reported. */
  checksPrivateOptions(schema: Schema, attribute: LinkAttribute, options: OptionsNode): boolean;
  /** The options of a relation that the caller may not read are checked. This reveals the names in its type. */
  readonly checksUnreadableOptions: boolean;
  /** Returns whether the dialect never serves an attribute with these options, and so does not check them. */
  ignoresAttribute(attribute: PolymorphicAttribute, options: OptionsNode): boolean;
  /**
   * Returns the options that `*` in place of options means. Null: it is a mistake. `target` is the only type that the
   * attribute leads to.
   */
  starOptions(context: BindingContext, target: EntryType | null, place: PopulatePlace): PopulateOptions | null;
  /** Returns whether `count` of an attribute may have any value. */
  acceptsAnyCount(attribute: LinkAttribute): boolean;
  /** Returns the types that `on` names. Null: it is a mistake. */
  readOn(attribute: PolymorphicAttribute, on: OnNode): readonly PopulateEntry[] | null;
  /** Returns whether `on` may name a type that exists, for an attribute with these components. */
  acceptsType(uid: string, components: readonly string[] | null | undefined): boolean;
  /** Returns whether an attribute shows rows of every status, not only of the asked one. */
  showsEveryStatus(attribute: PolymorphicAttribute): boolean;
  /** Returns whether an attribute is left out if the caller may read none of the types chosen with `on`. */
  dropsUnreadable(attribute: PolymorphicAttribute): boolean;
  /** A to-many relation with filters is served as `{"data": […]}`. */
  readonly wrapsFiltered: boolean;
}
