/** Reasons why a name cannot be used, and the names that could be meant. */
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type PolymorphicAttribute,
} from '../../model/schema/schema.ts';
import { type BindingContext, isAccessible } from '../bind/context.ts';
import type { NameUse, Use } from '../errors.ts';
import { childPath, type PopulatePlace } from '../syntax/location.ts';

/** Which attributes each use takes. */
const candidates: Record<Use, (attribute: Attribute) => boolean> = {
  filter: (attribute) => !isUnfilterable(attribute),
  sort: (attribute) => !isUnfilterable(attribute),
  field: isScalar,
  populate: (attribute) => !isScalar(attribute),
};

/** Returns whether filters and sorts cannot lead through an attribute. */
function isUnfilterable(attribute: Attribute): boolean {
  return isPolymorphic(attribute) || attribute.kind === 'media';
}

const kinds: Record<Exclude<Attribute['kind'], 'scalar'>, string> = {
  relation: 'a relation',
  media: 'a media attribute',
  component: 'a component',
  dynamiczone: 'a dynamic zone',
  polymorphic: 'a polymorphic relation',
};

/** Describes an attribute, to follow `it is`. */
export function describe(attribute: Attribute): string {
  return isScalar(attribute) ? `of the type ${attribute.type}` : kinds[attribute.kind];
}

/** Returns why an attribute that is accessible to the caller cannot be used. */
export function unusable({ part, name, use, parent }: NameUse, attribute: Attribute): string {
  const what = `it is ${describe(attribute)}`;
  switch (use) {
    case 'filter':
      return `${what}, which cannot be filtered`;
    case 'sort':
      if (isScalar(attribute)) return `${what} and has no attributes of its own`;
      if (isUnfilterable(attribute)) return `${what}, which cannot be sorted by`;
      return `${what}; sort by one of its attributes, such as ${childPath(parent, name)}.id`;
    case 'field': {
      const populate = part.param === 'fields' ? 'populate' : part.url.replace(/\[fields\]$/, '[populate]');
      return `${what}, which needs populate (${populate}=${name})`;
    }
    case 'populate':
      if (isScalar(attribute)) return `${what}, which comes without populate`;
      return `${what}; a path with dots cannot lead through it`;
  }
}

/** Returns the names that could be meant and that are accessible to the caller. */
export function namesOf(context: BindingContext, type: EntryType, use: Use): string[] {
  return Array.from(type.attributes.values())
    .filter((attribute) => candidates[use](attribute) && isAccessible(context, attribute))
    .map(({ name }) => name);
}

/** Returns whether a type has an attribute that is accessible to the caller. */
export function hasAccessible(context: BindingContext, { attributes }: EntryType, name: string): boolean {
  const attribute = attributes.get(name);
  return attribute !== undefined && isAccessible(context, attribute);
}

/** Returns an example of options for one of several types. */
export function onExample({ url }: PopulatePlace, { components }: PolymorphicAttribute): string {
  return `${url}[on][${components?.[0] ?? '<uid>'}][populate]`;
}
