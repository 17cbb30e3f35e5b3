/** What of that which is populated the caller may read. What he may not is left out of the reply, and noted. */
import {
  type EntryType,
  isPolymorphic,
  type LinkAttribute,
  type PolymorphicAttribute,
  roleType,
  userType,
} from '../../model/schema.ts';
import { type Binding, mayFollow, mayRead } from '../bind/binding.ts';
import { childPath } from '../syntax/place.ts';
import type { Place } from './populate-forms.ts';

/** A component is read with what holds it; to reach it from elsewhere takes a right to everything. */
export function mayChoose(binding: Binding, attribute: PolymorphicAttribute, target: EntryType): boolean {
  const isAside = attribute.kind === 'polymorphic' && target.kind === 'component';
  return isAside ? binding.permissions.allows(`${target.uid}.find`) : mayRead(binding, target);
}

/** The types that an attribute may lead to and that the caller may read. */
export function typesOf(binding: Binding, attribute: PolymorphicAttribute, here: Place): EntryType[] {
  if (attribute.components) return attribute.components.map((uid) => binding.schema.type(uid));
  const types = Array.from(binding.schema.types.values()).filter((type) => type.kind !== 'component');
  const readable = types.filter((type) => mayRead(binding, type));
  if (readable.length < types.length) binding.omitted.push(childPath(here.from, '*'));
  return readable;
}

/** Whether the caller may not read what an attribute leads to; it is then left out of the reply and noted. */
export function omit(binding: Binding, attribute: LinkAttribute, here: Place): boolean {
  const omitted = !isPolymorphic(attribute) && !mayFollow(binding, attribute);
  if (omitted) binding.omitted.push(here.from!);
  return omitted;
}

/** Who has a role is shown to nobody. */
export function tellsUsers(type: EntryType, attribute: LinkAttribute): boolean {
  return type.uid === roleType && !isPolymorphic(attribute) && attribute.target === userType;
}
