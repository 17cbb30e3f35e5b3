/** Permissions in `populate`. What the caller may not read is left out of the reply and noted. */
import {
  type EntryType,
  isPolymorphic,
  type LinkAttribute,
  type PolymorphicAttribute,
  roleType,
  type Schema,
  userType,
} from '../../../model/schema/schema.ts';
import { childPath, type PopulatePlace } from '../../syntax/location.ts';
import { type BindingContext, mayFollow, mayRead } from '../context.ts';

/**
 * Returns whether the caller may name a type in `on`. A component is read with what holds it; reading it through a
 * polymorphic relation takes a permission of its own.
 */
export function mayUseFragment(context: BindingContext, attribute: PolymorphicAttribute, target: EntryType): boolean {
  if (attribute.kind === 'polymorphic' && target.kind === 'component') {
    return context.permissions.allows(`${target.uid}.find`);
  }
  return mayRead(context, target);
}

/**
 * Returns the types that an attribute may lead to and that the caller may read. Adds a path to `omitted` if there are
 * others.
 */
export function collectReadableTargets(
  context: BindingContext,
  attribute: PolymorphicAttribute,
  place: PopulatePlace,
): EntryType[] {
  const { schema, omitted } = context;
  if (attribute.components) return attribute.components.map((uid) => schema.type(uid));
  const types = contentTypes(schema);
  const readable = types.filter((type) => mayRead(context, type));
  if (readable.length < types.length) omitted.push(childPath(place.typePath, '*'));
  return readable;
}

/** Returns the uids of the content types that the caller may read. */
export function readableContentTypes(context: BindingContext): string[] {
  return contentTypes(context.schema)
    .filter((type) => mayRead(context, type))
    .map(({ uid }) => uid);
}

function contentTypes({ types }: Schema): EntryType[] {
  return Array.from(types.values()).filter((type) => type.kind !== 'component');
}

/** Returns whether the caller may not read what an attribute leads to. Its path is then added to `omitted`. */
export function omitIfUnreadable(context: BindingContext, attribute: LinkAttribute, place: PopulatePlace): boolean {
  if (isPolymorphic(attribute) || mayFollow(context, attribute)) return false;
  context.omitted.push(place.typePath!);
  return true;
}

/** Returns whether an attribute would show who has a role, which nobody is shown. */
export function exposesRoleMembers(type: EntryType, attribute: LinkAttribute): boolean {
  return type.uid === roleType && !isPolymorphic(attribute) && attribute.target === userType;
}
