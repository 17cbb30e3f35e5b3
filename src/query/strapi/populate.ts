/** `populate` as Strapi reads it. */
import { invalidKey, ValidationError } from '../../base/errors.ts';
import { type EntryType, isPolymorphic } from '../../model/schema.ts';
import { type BindingContext, mayFollow } from '../bind/context.ts';
import { populatable } from '../bind/populated.ts';
import type { PopulatePath, PopulatePolicy } from '../policies.ts';
import { childPath, type PopulatePlace } from '../syntax/location.ts';
import { optionsNode, type PathsNode, type PopulateOptions } from '../syntax/populate-nodes.ts';
import { isAttributeName } from './attribute-names.ts';
import { strapiCasts } from './casts.ts';
import { strapiErrors } from './errors.ts';
import { rejectLongList } from './long-lists.ts';
import { checkOtherKey } from './populate-keys.ts';
import { readStrapiPaths } from './populate-paths.ts';
import { rewriteForStrapi4 } from './populate-strapi-4.ts';

export const strapiPopulate: PopulatePolicy = {
  rewrite: (_schema, _type, node) => node,
  readPaths(context, type, node) {
    // a list that holds more than texts is taken for an object, whose keys 0 and 1 are ignored
    if (node.items === null && Array.isArray(node.raw) && node.raw.length > 2) {
      throw invalidKey('populate', '2', node.place.path);
    }
    return readPaths(context, type, node);
  },
  checkLength: ({ arrayLimit }, { raw }) => rejectLongList(raw, arrayLimit),
  inOrderOfChecks(type, entries) {
    const isPrivate = ({ key }: { key: string }) => type.attributes.get(key)?.private === true;
    return [...entries.filter((entry) => !isPrivate(entry)), ...entries.filter(isPrivate)];
  },
  ignoresKey(binding, type, key, raw, place) {
    if (isAttributeName(type, key)) return false;
    checkOtherKey(binding, type, key, raw, place);
    return true;
  },
  ignoresOption: (key) => strapiCasts.flag(key) !== null,
  checksPrivateOptions: (schema, attribute, { raw }) =>
    !isPolymorphic(attribute) && schema.types.has(attribute.target) && raw !== '*',
  checksUnreadableOptions: true,
  /**
   * A polymorphic relation is served only with `on`, `true` or a `count` in words. Strapi checks no other option
   * but `populate`.
   */
  ignoresAttribute({ kind }, node) {
    if (kind !== 'polymorphic' || node.raw === true || node.raw === 'true') return false;
    if (node.kind === 'plain') return true;
    return !node.on?.entries && node.count !== true && node.count !== 'true';
  },
  starOptions: (context, target, place) => target && starOptions(context, target, place),
  acceptsAnyCount: ({ kind }) => kind === 'dynamiczone',
  // an empty text for a zone names no type
  readOn: ({ kind }, { entries, raw }) => (raw === '' && kind === 'dynamiczone' ? [] : entries),
  acceptsType: () => true,
  showsEveryStatus: ({ kind }) => kind === 'polymorphic',
  dropsUnreadable: ({ kind }) => kind === 'polymorphic',
  wrapsFiltered: false,
};

/** Strapi 4 has no rules of its own for long lists, keys that are no attributes, and polymorphic relations. */
export const strapi4Populate: PopulatePolicy = {
  ...strapiPopulate,
  rewrite: rewriteForStrapi4,
  readPaths,
  checkLength: () => {},
  ignoresKey: () => false,
  ignoresOption: () => false,
  ignoresAttribute: () => false,
  dropsUnreadable: () => false,
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
