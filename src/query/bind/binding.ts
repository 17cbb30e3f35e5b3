import type { PermissionSet } from '../../access/permissions.ts';
import type { ValidationError } from '../../base/errors.ts';
import { creatorNames } from '../../model/names.ts';
import {
  type Attribute,
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isRelation,
  isScalar,
  leadsToAdministrators,
  type RelationAttribute,
  type Schema,
} from '../../model/schema.ts';
import { everyVersion } from '../bound.ts';
import type { QueryFlags } from '../flags.ts';
import type { Messages, Sees, Use } from '../messages.ts';
import type { Part, Path } from '../syntax/place.ts';
import type { Placeholders } from '../template.ts';
import type { Casts } from './cast.ts';
import type { QueryBudget } from './query-budget.ts';

/** What binding looks at besides the query: the schema, and the caller, as whom every name is resolved. */
export interface Binding {
  readonly schema: Schema;
  readonly dialect: QueryFlags;
  /** How the dialect reads values. */
  readonly casts: Casts;
  /** How the dialect words refusals. */
  readonly messages: Messages;
  readonly permissions: PermissionSet;
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** Most items of one list. */
  readonly arrayLimit: number;
  readonly defaultLocale: string;
  /** Every locale of the settings and of the entries. */
  readonly locales: ReadonlySet<string>;
  readonly budget: QueryBudget;
  /** Collects the paths of what was asked for and left out, because the caller may not read it. */
  readonly omitted: string[];
  /** Where a template is bound: takes its tokens for operands. */
  readonly slots?: Placeholders;
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

/** Which attributes the caller may know of: all but private ones and relations that it may not follow. */
export function seesOf(binding: Binding): Sees {
  return (attribute) =>
    !attribute.private && (isScalar(attribute) || isPolymorphic(attribute) || mayFollow(binding, attribute));
}

/** The refusal of a name. `value` is the text in the query that holds it, if it holds more. */
export function wrongName(
  binding: Binding,
  part: Part,
  type: EntryType,
  name: string,
  parent: Path,
  use: Use,
  value?: unknown,
): ValidationError {
  return binding.messages.name({ part, type, name, parent, use, sees: seesOf(binding), value });
}

/** The attribute of a name in a query. Throws for one that does not exist or that nobody may name. */
export function findAttribute(
  binding: Binding,
  part: Part,
  type: EntryType,
  name: string,
  parent: Path,
  use: Use,
  value?: unknown,
): Attribute {
  const attribute = type.attributes.get(name);
  if (!attribute || attribute.private) throw wrongName(binding, part, type, name, parent, use, value);
  return attribute;
}

/** Whether a filter or a sort may lead through an attribute, as the dialect and the permissions allow. */
export function leadsOn(binding: Binding, attribute: Attribute): attribute is RelationAttribute {
  if (!isRelation(attribute) || !mayFollow(binding, attribute)) return false;
  return attribute.kind !== 'media' || binding.dialect.filtersMedia;
}

/** The name that an attribute which is led through has in a bound query. */
export function boundName({ dialect }: Binding, attribute: RelationAttribute): string {
  return dialect.localizationsAreVersions && isLocalizations(attribute) ? everyVersion : attribute.name;
}
