/** `populate` as Strapi reads it. */
import { invalidKey, ValidationError } from '../../core/errors.ts';
import { type EntryType, isPolymorphic } from '../../model/schema/schema.ts';
import { type BindingContext, mayFollow } from '../bind/context.ts';
import type {
  PopulateCheckPolicy,
  PopulatePath,
  PopulateResultPolicy,
  PopulateSyntaxPolicy,
} from '../bind/populate/populate-policies.ts';
import { populatable } from '../bind/populate/populated.ts';
import type { Binding } from '../policies.ts';
import { childPath, type PopulatePlace } from '../syntax/location.ts';
import { optionsNode, type PathsNode, type PopulateOptions } from '../syntax/populate-nodes.ts';
import { countsAsAttribute } from './attribute-names.ts';
import { strapiCasts } from './casts.ts';
import { strapiErrors } from './errors.ts';
import { rejectLongList } from './long-lists.ts';
import { checkOtherKey } from './populate-keys.ts';
import { readStrapiPaths } from './populate-paths.ts';
import { rewriteForStrapi4 } from './populate-strapi-4.ts';

export const strapiPopulateSyntax: PopulateSyntaxPolicy = {
  rewrite: (_schema, _type, node) => node,
  readPaths(context, type, node) {
    // a list that holds more than texts is taken for an object, whose keys 0 and 1 are ignored
    if (node.items === null && Array.isArray(node.raw) && node.raw.length > 2) {
      throw invalidKey('populate', '2', node.place.path);
    }
    return readPaths(context, type, node);
  },
  checkLength: ({ arrayLimit }, { raw }) => rejectLongList(raw, arrayLimit),
  starOptions: (context, target, place) => target && starOptions(context, target, place),
  // an empty text for a zone names no type
  readOn: ({ kind }, { entries, raw }) => (raw === '' && kind === 'dynamiczone' ? [] : entries),
};

export const strapiPopulateChecks: PopulateCheckPolicy<Binding> = {
  inOrderOfChecks(type, entries) {
    const isPrivate = ({ key }: { key: string }) => type.attributes.get(key)?.private === true;
    return [...entries.filter((entry) => !isPrivate(entry)), ...entries.filter(isPrivate)];
  },
  ignoresKey(binding, type, key, raw, place) {
    if (countsAsAttribute(type, key)) return false;
    checkOtherKey(binding, type, key, raw, place);
    return true;
  },
  ignoresOption: (key) => strapiCasts.flag(key) !== null,
  checksPrivateOptions: (schema, attribute, { raw }) =>
    !isPolymorphic(attribute) && schema.types.has(attribute.target) && raw !== '*',
  checksUnreadableOptions: true,
  acceptsAnyCount: ({ kind }) => kind === 'dynamiczone',
  acceptsType: () => true,
};

export const strapiPopulateResult: PopulateResultPolicy = {
  /**
   * A polymorphic relation is served only with `on`, `true` or a `count` in words. Strapi checks no other option
   * but `populate`.
   */
  leavesOut({ kind }, node) {
    if (kind !== 'polymorphic' || node.raw === true || node.raw === 'true') return false;
    if (node.kind === 'value') return true;
    return !node.on?.entries && node.count !== true && node.count !== 'true';
  },
  leavesOutUnreadable: ({ kind }) => kind === 'polymorphic',
  servesEveryStatus: ({ kind }) => kind === 'polymorphic',
  wrapsFiltered: false,
};

/** Strapi 4 has no rule of its own for long lists. */
export const strapi4PopulateSyntax: PopulateSyntaxPolicy = {
  ...strapiPopulateSyntax,
  rewrite: rewriteForStrapi4,
  readPaths,
  checkLength: () => {},
};

/** `rewriteForStrapi4` leaves no key that is no attribute and no unknown option. */
export const strapi4PopulateChecks: PopulateCheckPolicy<Binding> = {
  ...strapiPopulateChecks,
  ignoresKey: () => false,
  ignoresOption: () => false,
};

/** Strapi 4 always serves a polymorphic relation. */
export const strapi4PopulateResult: PopulateResultPolicy = {
  ...strapiPopulateResult,
  leavesOut: () => false,
  leavesOutUnreadable: () => false,
};

function readPaths(context: BindingContext, type: EntryType, { items, place, raw }: PathsNode): PopulatePath[] {
  if (items === null) throw strapiErrors.wrongPopulate(place, raw);
  return readStrapiPaths(context, type, items, place);
}

/**
 * Strapi expands `*` to the names of all attributes that the caller may populate, and rejects the first as an unknown
 * option. If there are none, it means no options.
 */
function starOptions(context: BindingContext, target: EntryType, place: PopulatePlace): PopulateOptions {
  const first = populatable(target).find((each) => isPolymorphic(each) || mayFollow(context, each));
  if (!first) return optionsNode({}, place);
  const path = childPath(place.path, first.name);
  throw new ValidationError(`Invalid key ${first.name} at ${path}`, { key: first.name, path });
}
