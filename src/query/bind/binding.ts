import { allPermissions } from '../../access/permissions.ts';
import type { ValidationError } from '../../base/errors.ts';
import { type Attribute, type EntryType, isRelation, type RelationAttribute } from '../../model/schema.ts';
import type { Use } from '../errors.ts';
import type { QueryPolicies } from '../policies.ts';
import type { Part, Path } from '../syntax/location.ts';
import { type BindingContext, isVisible, mayFollow } from './context.ts';

/** What binding uses besides the query. */
export interface Binding extends BindingContext {
  readonly policies: QueryPolicies;
}

/** A name where it is written. */
interface WrittenName {
  readonly part: Part;
  readonly name: string;
  /** The path of what holds the attribute. */
  readonly parent: Path;
  readonly use: Use;
  /** The text in the query that holds the name, if it holds more. */
  readonly value?: unknown;
  /** The keys of the query that lead to the name, where they differ from the attributes. */
  readonly raw?: Path;
}

/** Returns the error for a name. */
export function wrongName(binding: Binding, type: EntryType, written: WrittenName): ValidationError {
  const sees = (attribute: Attribute) => isVisible(binding, attribute);
  return binding.policies.errors.wrongName({ ...written, type, sees });
}

/** Returns the attribute of a name. Throws for one that does not exist or that nobody may name. */
export function findAttribute(binding: Binding, type: EntryType, written: WrittenName): Attribute {
  const attribute = type.attributes.get(written.name);
  if (!attribute || attribute.private) throw wrongName(binding, type, written);
  return attribute;
}

/** Returns whether a filter or a sort may lead through an attribute. */
export function leadsOn(binding: Binding, attribute: Attribute): attribute is RelationAttribute {
  return isRelation(attribute) && mayFollow(binding, attribute) && binding.policies.filter.leadsThrough(attribute);
}

/** Returns the binding of a caller who may read everything. It is for checks of parts that are not shown. */
export function unrestricted<Context extends BindingContext>(binding: Context): Context {
  return { ...binding, permissions: allPermissions(), omitted: [] };
}
