import type { PermissionSet } from '../access/permissions.ts';
import type { Dialect } from '../dialect.ts';
import { invalidKey } from '../errors.ts';
import { creatorNames } from '../schema/names.ts';
import {
  type Attribute,
  type EntryType,
  isLocalizations,
  isRelation,
  leadsToAdministrators,
  type RelationAttribute,
  type Schema,
} from '../schema/schema.ts';
import { everyVersion } from './bound.ts';
import type { QueryBudget } from './query-budget.ts';
import type { Slots } from './template.ts';

/** What binding looks at besides the query: the schema, and the caller, as whom every name is resolved. */
export interface Binding {
  readonly schema: Schema;
  readonly dialect: Dialect;
  readonly permissions: PermissionSet;
  readonly defaultLimit: number;
  readonly maxLimit: number;
  readonly defaultLocale: string;
  readonly budget: QueryBudget;
  /** Collects the paths of what was asked for and left out, because the caller may not read it. */
  readonly omitted: string[];
  /** Where a template is bound: takes its tokens for operands. */
  readonly slots?: Slots;
}

/** A place among attributes: names joined by dots, null at the root. */
export type Path = string | null;

export function join(path: Path, name: string): string {
  return path === null ? name : `${path}.${name}`;
}

/** Whether the caller may read the entries of a type. Components and files come with what holds them. */
export function mayRead(binding: Binding, type: EntryType): boolean {
  return type.kind === 'component' || binding.permissions.allows(`${type.uid}.find`);
}

/**
 * Whether the caller may populate a relation, or filter and sort through it. A type that shows who created its entries
 * shows it to everybody.
 */
export function mayFollow(binding: Binding, attribute: RelationAttribute): boolean {
  if (attribute.unconnected) return false;
  if (attribute.kind !== 'relation') return true;
  const isCreator = creatorNames.has(attribute.name) && leadsToAdministrators(attribute);
  return isCreator || mayRead(binding, binding.schema.type(attribute.target));
}

/** The attribute of a name in a query. Throws for one that does not exist or that nobody may name. */
export function findAttribute(type: EntryType, name: string, path: Path, param: string): Attribute {
  const attribute = type.attributes.get(name);
  if (!attribute) throw invalidKey(param, name, path);
  if (attribute.private) throw invalidKey(param, name, join(path, name));
  return attribute;
}

/**
 * Checks that a filter or a sort may lead through an attribute, and gives it. Refused: dynamic zones and polymorphic
 * relations, media where the dialect does not filter them, and relations to what the caller may not read.
 */
export function followRelation(binding: Binding, attribute: Attribute, path: Path, param: string): RelationAttribute {
  const refused = !isRelation(attribute) || !mayFollow(binding, attribute);
  if (refused || (attribute.kind === 'media' && !binding.dialect.filtersMedia)) {
    throw invalidKey(param, attribute.name, join(path, attribute.name));
  }
  return attribute;
}

/** The name that an attribute which is led through has in a bound query. */
export function boundName({ dialect }: Binding, attribute: RelationAttribute): string {
  return dialect.localizationsAreVersions && isLocalizations(attribute) ? everyVersion : attribute.name;
}
