/**
 * A query after binding: every name exists and may be used, every operand has its type, every default stands.
 * It is plain data (no bigints, no maps), so that its text is the key of its reply.
 */
import type { PublicationFilter } from '../model/publication-filters.ts';
import type { Comparison } from './operators.ts';

/** What an attribute is compared with. A biginteger is its decimal text; null compares as unknown. */
export type Operand = string | number | null;

/**
 * A filter whose negations stand at the leaves, or around a relation. `all` of nothing is always true, `any` of nothing
 * never. A value test on null is true for `isNull` only, negated or not.
 */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly Condition[] }
  | ValueCondition
  | RelatedCondition
  /** The condition is not true: SQL's NOT EXISTS. It is never unknown, so its own negation is the plain condition. */
  | { readonly kind: 'not'; readonly condition: RelatedCondition };

/** There is a related row for which the condition is true; nothing related counts as one row of nulls. */
export interface RelatedCondition {
  readonly kind: 'related';
  readonly attribute: string;
  readonly condition: Condition;
}

export interface ValueCondition {
  readonly kind: 'value';
  readonly attribute: string;
  readonly comparison: Comparison;
  /** One for most tests, two for `between`, any number for `oneOf`, none for `isNull`. */
  readonly operands: readonly Operand[];
  readonly negated: boolean;
}

/** A condition that holds for nothing. */
export const matchNothing: Condition = { kind: 'any', conditions: [] };

/**
 * In place of an attribute's name in a filter or a sort: leads to every row of the same document, of every status and
 * locale, the row itself among them. No attribute is called so.
 */
export const everyVersion = '@versions';

export interface SortKey {
  /** Relations and components to go through, then a scalar attribute. */
  readonly path: readonly string[];
  readonly descending: boolean;
}

/** What of an entry is written: scalar attributes (null: all) and what is populated. */
export interface Selection {
  readonly fields: readonly string[] | null;
  readonly populate: readonly Populated[];
}

/** A part of a list: from a place in it, up to but without another. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Populated {
  readonly attribute: string;
  /** Only the number of related rows is written. */
  readonly count: boolean;
  /** The list stands in an object as its `data`. */
  readonly wrapped: boolean;
  /** Null: in the order of connection. */
  readonly sort: readonly SortKey[] | null;
  /** The part of each list that is written; without one, all of it. */
  readonly window?: Window;
  /** What is written of a related row, by the uid of its type. Rows of other types are left out. */
  readonly targets: Readonly<Record<string, Fragment>>;
}

/** A selection of the related rows for which a filter is true (null: of all). */
export interface Fragment extends Selection {
  readonly filter: Condition | null;
  /** Rows of every status are shown, not only those of the asked one. */
  readonly everyStatus: boolean;
}

/** The window of a collection. `page` writes page numbers into the reply, `offset` start and limit. */
export interface Page {
  readonly mode: 'page' | 'offset';
  readonly start: number;
  readonly limit: number;
  readonly withCount: boolean;
}

export type Status = 'published' | 'draft';

export interface BoundQuery {
  readonly type: string;
  readonly filter: Condition | null;
  readonly sort: readonly SortKey[];
  readonly selection: Selection;
  /** Null: every status. */
  readonly status: Status | null;
  /** Leaves the rows whose versions stand in that relation, of the type and of all that is populated. */
  readonly publication: PublicationFilter | null;
  /** Null: all locales. For a type without locales it is null too. */
  readonly locale: string | null;
  readonly page: Page;
}

/** Whether localizations are populated anywhere in a selection. */
export function populatesLocalizations({ populate }: Selection): boolean {
  return populate.some(leadsToLocalizations);
}

/** Whether what is populated is localizations, or populates them. */
export function leadsToLocalizations({ attribute, targets }: Populated): boolean {
  return attribute === 'localizations' || Object.values(targets).some(populatesLocalizations);
}

/** Whether nothing that is populated is filtered, or sorted through relations. */
export function isPlain({ sort, targets }: Populated): boolean {
  return (
    (sort ?? []).every(({ path }) => path.length === 1) &&
    Object.values(targets).every(({ filter, populate }) => filter === null && populate.every(isPlain))
  );
}

export function leadsThroughRelation(condition: Condition): boolean {
  switch (condition.kind) {
    case 'value':
      return false;
    case 'related':
    case 'not':
      return true;
    default:
      return condition.conditions.some(leadsThroughRelation);
  }
}
