/**
 * A bound query: every name exists and may be used, operands are cast, and defaults are set. It is plain data without
 * bigints and maps, so its text is the cache key of its reply.
 */
import type { Comparison } from './operators.ts';

/** A value that an attribute is compared with. A biginteger is decimal text. A comparison with null is unknown. */
export type Operand = string | number | null;

/**
 * A filter. Only comparisons and relations are negated. `all` of nothing is true, `any` of nothing is false. Comparing
 * null is unknown, also when negated, except by `isNull`.
 */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly Condition[] }
  | ValueCondition
  | RelatedCondition
  /** SQL's NOT EXISTS: true or false, never unknown, so its negation is the plain condition. */
  | { readonly kind: 'not'; readonly condition: RelatedCondition };

/** True if some related row matches. Without related rows, a row of nulls is tested, as in a LEFT JOIN. */
export interface RelatedCondition {
  readonly kind: 'related';
  readonly attribute: string;
  /** The uid of the components of a dynamic zone that are tested. */
  readonly component?: string;
  readonly condition: Condition;
}

export interface ValueCondition {
  readonly kind: 'value';
  readonly attribute: string;
  readonly comparison: Comparison;
  /** Two for `between`, any number for `oneOf`, none for `isNull`, otherwise one. */
  readonly operands: readonly Operand[];
  readonly negated: boolean;
  /** Texts are compared without their accents. */
  readonly ignoresAccents?: true;
}

/** A condition that no row matches. */
export const matchNothing: Condition = { kind: 'any', conditions: [] };

/**
 * A pseudo-attribute in the path of a filter or a sort. It leads to every row of the same document, of every status and
 * locale, including the row itself. No valid name of an attribute has an `@`. If a tolerant load keeps a relation of
 * this name, paths through it lead to the versions.
 */
export const everyVersion = '@versions';

/** Another one, in filters of files: it leads to the folder of a file. The attribute itself is private. */
export const folderOfFile = '@folder';

export interface SortKey {
  /** Relations and components to follow, then a scalar attribute, or the relation whose entries are counted. */
  readonly path: readonly string[];
  /** What is sorted in place of the value of the attribute. */
  readonly by?: SortedBy;
  readonly descending: boolean;
  /** Null is less than every value. Default: it is greater. */
  readonly nullIsLeast?: boolean;
  /** The attribute is JSON, which is sorted by its text. Default: JSON only differs from null. */
  readonly sortsJsonText?: boolean;
}

/** A hash of the value and a seed, which looks random. */
interface SortedByHash {
  readonly kind: 'hash';
  readonly seed: string;
}

/** The number of related entries that `populate` shows. */
interface SortedByCount {
  readonly kind: 'count';
}

/** The place of a text in the order of a language. */
interface SortedByLanguage {
  readonly kind: 'language';
  readonly language: string;
}

export type SortedBy = SortedByHash | SortedByCount | SortedByLanguage;

/** What an entry is served with: scalar attributes (null: all) and populated attributes. */
export interface Selection {
  readonly fields: readonly string[] | null;
  readonly populate: readonly Populated[];
}

/** A part of a list, from an index up to another, which is excluded. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Populated {
  readonly attribute: string;
  /** Serves only the number of related rows. */
  readonly count: boolean;
  /** Serves the list as `{"data": […]}`. */
  readonly wrapped: boolean;
  /** Null: in the order of the links. */
  readonly sort: readonly SortKey[] | null;
  /** The part of each list that is served; by default all of it. */
  readonly window?: Window;
  /** What a related row is served with, by the uid of its type. Rows of other types are left out. */
  readonly targets: Readonly<Record<string, RelatedSelection>>;
}

/** A selection for the related rows that match a filter (null: all). */
export interface RelatedSelection extends Selection {
  readonly filter: Condition | null;
  /** Serves rows of every status, not only of the query's status. */
  readonly everyStatus: boolean;
}

/** The window of a list. In the reply, `page` gives page numbers and `offset` gives start and limit. */
export interface Page {
  readonly mode: 'page' | 'offset';
  readonly start: number;
  readonly limit: number;
  readonly withCount: boolean;
}

export type Status = 'published' | 'draft';

/** Counts of the values of an attribute, beside a list. */
export interface Facet {
  /** As the query names it, and as the reply does. */
  readonly name: string;
  /** Relations and components to follow, then a scalar attribute. */
  readonly path: readonly string[];
}

export interface BoundQuery {
  readonly type: string;
  readonly filter: Condition | null;
  readonly sort: readonly SortKey[];
  readonly selection: Selection;
  /** Null: every status. */
  readonly status: Status | null;
  /** Keeps the rows whose versions are in this relation, of the type and of everything populated. */
  readonly publication: PublicationFilter | null;
  /** Null: all locales, or the type has none. */
  readonly locale: string | null;
  /**
   * Locales in which a document is looked for; that in the first one that it has is shown, and links to the others lead to
   * it. `locale` is then null. Absent without fallbacks.
   */
  readonly locales?: readonly string[];
  readonly page: Page;
  /** Absent without any. */
  readonly facets?: readonly Facet[];
  /** The names of the folders that lead to files, the outermost first; empty: files in no folder. Absent: all files. */
  readonly folder?: readonly string[];
  /** Absent unless the selection is everything down to a depth. */
  readonly deep?: DeepPopulate;
}

/** How deep a query asks for everything. */
export interface DeepPopulate {
  readonly depth: number;
  /** The depth of the selection. It is less if more types would be populated than a query may. */
  readonly boundDepth: number;
}

/** Returns whether localizations are populated anywhere in a selection. */
export function populatesLocalizations({ populate }: Selection): boolean {
  return populate.some(leadsToLocalizations);
}

/** Returns whether the attribute is `localizations`, or populates it at any depth. */
export function leadsToLocalizations({ attribute, targets }: Populated): boolean {
  return attribute === 'localizations' || Object.values(targets).some(populatesLocalizations);
}

/** Returns whether nothing populated is filtered, or sorted through relations or by what is computed. */
export function isUnfiltered({ sort, targets }: Populated): boolean {
  return (
    (sort ?? []).every(({ path, by }) => path.length === 1 && !by) &&
    Object.values(targets).every(({ filter, populate }) => filter === null && populate.every(isUnfiltered))
  );
}

/** Returns whether a condition tests related rows. */
export function leadsThroughRelation(condition: Condition): boolean {
  switch (condition.kind) {
    case 'value':
      return false;
    case 'related':
    case 'not':
      return true;
    case 'all':
    case 'any':
      return condition.conditions.some(leadsThroughRelation);
    default:
      return condition satisfies never;
  }
}

/**
 * Values of the parameter `publicationFilter`. They compare the draft and the published version of a document in the
 * same locale. Values that end in `-document` compare versions in all locales.
 */
export const publicationFilters = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
] as const;

export type PublicationFilter = (typeof publicationFilters)[number];
