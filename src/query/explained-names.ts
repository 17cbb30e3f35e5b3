/** What is wrong with a name, and which names would be right. */
import { type Attribute, type EntryType, isPolymorphic, isScalar, type PolymorphicAttribute } from '../model/schema.ts';
import type { NameProblem, PopulatePlace, Sees, Use } from './messages.ts';
import { childPath, type Part, type Path } from './syntax/place.ts';

/** The names that would be right where a wrong one was used. */
const candidates: Record<Use, (attribute: Attribute) => boolean> = {
  filter: (attribute) => !isUnfilterable(attribute),
  sort: (attribute) => !isUnfilterable(attribute),
  field: isScalar,
  populate: (attribute) => !isScalar(attribute),
};

/** Polymorphic structures: filters and sorts cannot lead through them. */
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

/** What an attribute is, to follow `it is`. */
export function describe(attribute: Attribute): string {
  return isScalar(attribute) ? `of the type ${attribute.type}` : kinds[attribute.kind];
}

/** Why an attribute that the caller sees cannot be used. */
export function unusable({ part, name, use, parent }: NameProblem, attribute: Attribute): string {
  const what = `it is ${describe(attribute)}`;
  switch (use) {
    case 'filter':
      return `${what}, which cannot be filtered`;
    case 'sort':
      if (isScalar(attribute)) return `${what} and has no attributes of its own`;
      if (isUnfilterable(attribute)) return `${what}, which cannot be sorted by`;
      return `${what}; sort by one of its attributes, such as ${sortable(part, parent, name)}`;
    case 'field': {
      const populate = part.param === 'fields' ? 'populate' : part.written.replace(/\[fields\]$/, '[populate]');
      return `${what}, which needs populate (${populate}=${name})`;
    }
    case 'populate':
      if (isScalar(attribute)) return `${what}, which comes without populate`;
      return `${what}; a path with dots cannot lead through it`;
  }
}

/** A path to sort by, as the same `sort` would write it. */
function sortable({ path }: Part, parent: Path, name: string): string {
  const full = `${childPath(parent, name)}.id`;
  return path === null ? full : full.slice(path.length + 1);
}

/** The names of a type that could be meant, of those that the caller may know of. */
export function namesOf(type: EntryType, use: Use, sees: Sees): string[] {
  return Array.from(type.attributes.values())
    .filter((attribute) => candidates[use](attribute) && sees(attribute))
    .map(({ name }) => name);
}

/** Whether a type has an attribute that the caller may know of. */
export function isSeen({ attributes }: EntryType, name: string, sees: Sees): boolean {
  const attribute = attributes.get(name);
  return attribute !== undefined && sees(attribute);
}

/** How to say what to populate of several types, for one of them. */
export function onExample({ written }: PopulatePlace, { components }: PolymorphicAttribute): string {
  return `${written}[on][${components?.[0] ?? '<uid>'}][populate]`;
}
