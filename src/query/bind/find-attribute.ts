import { type Attribute, type EntryType, isRelation, type RelationAttribute } from '../../model/schema/schema.ts';
import type { NameUse } from '../errors.ts';
import type { Binding } from '../policies.ts';
import { mayFollow } from './context.ts';

/** Returns the attribute of a name. Throws for one that does not exist or that nobody may name. */
export function findAttribute(binding: Binding, type: EntryType, nameUse: NameUse): Attribute {
  const attribute = type.attributes.get(nameUse.name);
  if (!attribute || attribute.private) throw binding.policies.errors.wrongName(binding, type, nameUse);
  return attribute;
}

/** Returns whether a filter or a sort may lead through an attribute. */
export function leadsOn(binding: Binding, attribute: Attribute): attribute is RelationAttribute {
  return isRelation(attribute) && mayFollow(binding, attribute) && binding.policies.filter.leadsThrough(attribute);
}
