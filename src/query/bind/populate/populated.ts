/** What attributes can be populated, and what the caller may read of them. The rest is left out of the reply and noted. */
import {
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
  type RelationAttribute,
  roleType,
  type Schema,
  userType,
} from '../../../model/schema/schema.ts';
import type { Populated, RelatedSelection } from '../../bound.ts';
import { childPath, type PopulatePlace } from '../../syntax/location.ts';
import { optionsNode } from '../../syntax/populate-nodes.ts';
import { type BindingContext, mayFollow, mayRead } from '../context.ts';

/** The options of an attribute that is populated without any. */
export const noOptions = optionsNode({}, { path: null, keyPath: null, typePath: null, url: '' });

/** Returns the attributes that can be populated. */
export function populatable(type: EntryType): LinkAttribute[] {
  return Array.from(type.attributes.values()).filter(
    (attribute): attribute is LinkAttribute => !isScalar(attribute) && !attribute.private,
  );
}

/** Sorts populated attributes by the order of the schema. */
export function inSchemaOrder(type: EntryType, bound: readonly (Populated | null)[]): Populated[] {
  const order = Array.from(type.attributes.keys());
  return bound
    .filter((populated) => populated !== null)
    .sort((a, b) => order.indexOf(a.attribute) - order.indexOf(b.attribute));
}

/** Returns an attribute populated without options of its own. */
export function populated(attribute: LinkAttribute, targets: Record<string, RelatedSelection>): Populated {
  return { attribute: attribute.name, count: false, wrapped: false, sort: null, targets };
}

/** Returns the same with rows of the requested status only. */
export function withRequestedStatus(original: Populated): Populated {
  const targets = Object.entries(original.targets).map(([uid, selection]) => [
    uid,
    { ...selection, everyStatus: false },
  ]);
  return { ...original, targets: Object.fromEntries(targets) };
}

/**
 * Returns whether related rows can be counted. Media, localizations and inverses of polymorphic relations are served.
 */
export function isCountable(attribute: RelationAttribute): boolean {
  return attribute.kind !== 'media' && !attribute.fromPolymorphic && !isLocalizations(attribute);
}

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
