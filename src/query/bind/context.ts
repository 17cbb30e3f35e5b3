import { limitExceeded, type ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { allPermissions, type PermissionSet } from '../../model/access/permissions.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type RelationAttribute,
  type Schema,
  targetsAdministrators,
} from '../../model/schema/schema.ts';
import { creatorNames } from '../../model/schema/type-definition.ts';
import type { Features } from '../../model/settings/features.ts';
import type { Placeholders } from '../placeholders.ts';

/** What a query is bound against: the schema, the caller and the limits. */
export interface BindingContext {
  readonly schema: Schema;
  readonly permissions: PermissionSet;
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** Maximum length of a list. */
  readonly arrayLimit: number;
  readonly defaultLocale: string;
  /** Whether lists take `facets`. */
  readonly countsFacets: boolean;
  /** What queries may ask for beyond Strapi. */
  readonly features: Features;
  /** Every locale of the settings and of the entries. */
  readonly locales: ReadonlySet<string>;
  /** The language of the query, in its canonical form. */
  readonly language?: string;
  readonly budget: QueryBudget;
  /** Collects the paths that were asked for and left out, because the caller may not read them. */
  readonly omitted: string[];
  /** Takes the placeholders of a prepared query for operands. */
  readonly placeholders?: Placeholders;
}

/** What decides which types and attributes a caller may read. */
export type ReadContext = Pick<BindingContext, 'schema' | 'permissions'>;

/** Returns whether the caller may read the entries of a type. Components are read with what holds them. */
export function mayRead({ permissions }: ReadContext, type: EntryType): boolean {
  return type.kind === 'component' || permissions.allows(`${type.uid}.find`);
}

/**
 * Returns whether the caller may populate a relation, or filter and sort through it. A type that shows who created its
 * entries shows it to everybody.
 */
export function mayFollow(context: ReadContext, attribute: RelationAttribute): boolean {
  if (attribute.unconnected) return false;
  if (attribute.kind !== 'relation') return true;
  const isCreator = creatorNames.has(attribute.name) && targetsAdministrators(attribute);
  return isCreator || mayRead(context, context.schema.type(attribute.target));
}

/** Returns whether the caller may know that an attribute exists. */
export function isAccessible(context: ReadContext, attribute: Attribute): boolean {
  if (attribute.private) return false;
  return isScalar(attribute) || isPolymorphic(attribute) || mayFollow(context, attribute);
}

/** Returns the context of a caller who may read everything, for checks of parts that are not shown. */
export function unrestricted<Context extends BindingContext>(context: Context): Context {
  return { ...context, permissions: allPermissions(), omitted: [] };
}

/** The limits of one query. */
export interface QueryBudgets {
  /** Bytes of the query string as it is sent. */
  readonly queryBytes: number;
  /** Parameters of a query string. */
  readonly parameters: number;
  /** Brackets in a key, or names in a dotted path. */
  readonly depth: number;
  /** Comparisons in all filters, including those in `populate`. A list of operands counts once. */
  readonly conditions: number;
  /** Populated types, counted at every place. */
  readonly populate: number;
  /** Names in the paths of all sort keys, including those in `populate`. */
  readonly sorts: number;
}

/**
 * Counts the parts of one query while it is bound. The count depends on the form of the query and not on its operands,
 * so a prepared query exceeds a limit exactly if every query of its form does.
 */
export class QueryBudget {
  readonly #budgets: QueryBudgets;
  #conditions = 0;
  #populated = 0;
  #sortNames = 0;

  constructor(budgets: QueryBudgets) {
    this.#budgets = budgets;
  }

  /** Counts a comparison. Throws a ValidationError above the limit. */
  countCondition(param: string): void {
    const { conditions } = this.#budgets;
    if (++this.#conditions <= conditions) return;
    throw limitExceeded(`The filters have more than ${conditions} conditions`, conditions, 'budgets.conditions', {
      source: 'query',
      param,
    });
  }

  /** The number of types that may still be populated. */
  get populatedLeft(): number {
    return this.#budgets.populate - this.#populated;
  }

  /** Counts a populated type. Throws a ValidationError above the limit. */
  countPopulated(): void {
    const { populate } = this.#budgets;
    if (++this.#populated > populate) throw tooManyPopulated(populate);
  }

  /** Counts the names of a sort key. Throws a ValidationError above the limit. */
  countSortKey(param: string, names: number): void {
    const { sorts } = this.#budgets;
    this.#sortNames += names;
    if (this.#sortNames <= sorts) return;
    const message = `The sort keys of the query have more than ${sorts} names`;
    throw limitExceeded(message, sorts, 'budgets.sorts', { source: 'query', param });
  }

  /** Throws a ValidationError for a dotted path with too many names. */
  checkDepth(param: string, names: readonly string[]): void {
    const { depth } = this.#budgets;
    if (names.length <= depth) return;
    const path = names.join('.');
    const message = `The path ${preview(path)} in ${param} has ${names.length} names; the limit is ${depth}`;
    throw limitExceeded(message, depth, 'budgets.depth', { source: 'query', param, value: path });
  }
}

/** Returns the error for a query that populates more types than the setting `budgets.populate`. */
export function tooManyPopulated(limit: number): ValidationError {
  const message = `The query populates more than ${limit} relations`;
  return limitExceeded(message, limit, 'budgets.populate', { source: 'query', param: 'populate' });
}
