import { allPermissions, type PermissionSet } from '../../model/access/permissions.ts';
import { creatorNames } from '../../model/schema/names.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type RelationAttribute,
  type Schema,
  targetsAdministrators,
} from '../../model/schema/schema.ts';
import type { Placeholders } from '../placeholders.ts';
import type { QueryBudget } from './query-budget.ts';

/** What a query is bound against: the schema, the caller and the limits. */
export interface BindingContext {
  readonly schema: Schema;
  readonly permissions: PermissionSet;
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** Maximum length of a list. */
  readonly arrayLimit: number;
  readonly defaultLocale: string;
  /** Every locale of the settings and of the entries. */
  readonly locales: ReadonlySet<string>;
  readonly budget: QueryBudget;
  /** Collects the paths that were asked for and left out, because the caller may not read them. */
  readonly omitted: string[];
  /** Takes the placeholders of a prepared query for operands. */
  readonly placeholders?: Placeholders;
}

/** Returns whether the caller may read the entries of a type. Components are read with what holds them. */
export function mayRead({ permissions }: BindingContext, type: EntryType): boolean {
  return type.kind === 'component' || permissions.allows(`${type.uid}.find`);
}

/**
 * Returns whether the caller may populate a relation, or filter and sort through it. A type that shows who created its
 * entries shows it to everybody.
 */
export function mayFollow(binding: BindingContext, attribute: RelationAttribute): boolean {
  if (attribute.unconnected) return false;
  if (attribute.kind !== 'relation') return true;
  const isCreator = creatorNames.has(attribute.name) && targetsAdministrators(attribute);
  return isCreator || mayRead(binding, binding.schema.type(attribute.target));
}

/** Returns whether the caller may know that an attribute exists. */
export function isAccessible(context: BindingContext, attribute: Attribute): boolean {
  if (attribute.private) return false;
  return isScalar(attribute) || isPolymorphic(attribute) || mayFollow(context, attribute);
}

/** Returns the context of a caller who may read everything, for checks of parts that are not shown. */
export function unrestricted<Context extends BindingContext>(context: Context): Context {
  return { ...context, permissions: allPermissions(), omitted: [] };
}
