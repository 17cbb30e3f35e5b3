/** `populate` as Strapi reads it: its forms, its checks, and lists that are too long. */
import { invalidKey, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type EntryType, isPolymorphic } from '../../model/schema/schema.ts';
import { bindFields } from '../bind/bind-names.ts';
import { type BindingContext, mayFollow, unrestricted } from '../bind/context.ts';
import { bindPopulate } from '../bind/populate/bind-populate.ts';
import type {
  PopulateCheckPolicy,
  PopulatePath,
  PopulateResultPolicy,
  PopulateSyntaxPolicy,
} from '../bind/populate/populate-policies.ts';
import { populatable } from '../bind/populate/populated.ts';
import type { Binding } from '../policies.ts';
import { parseFilter } from '../syntax/filter-nodes.ts';
import { childPath, nestedPlace, optionPart, type PopulatePlace } from '../syntax/location.ts';
import { parseFields } from '../syntax/parameter-nodes.ts';
import { isObject, type RawQuery } from '../syntax/parse.ts';
import { optionsNode, type PathsNode, type PopulateOptions, parsePopulate } from '../syntax/populate-nodes.ts';
import { parseSort } from '../syntax/sort-nodes.ts';
import { strapiCasts } from './casts.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';
import { countsAsAttribute, strapiErrors } from './errors.ts';
import { readStrapiPaths } from './populate-paths.ts';
import { rewriteForStrapi4 } from './populate-strapi-4.ts';

export const strapiPopulateSyntax: PopulateSyntaxPolicy = {
  rewrite: (_context, _type, node) => node,
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

/** Checks a key that is no attribute, as a caller who may read everything. Throws unless Strapi ignores it. */
function checkOtherKey(binding: Binding, type: EntryType, key: string, raw: unknown, place: PopulatePlace): void {
  const context = unrestricted(binding);
  switch (key) {
    case 'sort':
      return checkSortNames(context, type, parseSort(raw), 'populate');
    case 'filters':
      return checkFilterNames(context, type, parseFilter(raw), 'populate');
    case 'fields':
      return void bindFields(context, type, parseFields(raw), optionPart(place, key));
    case 'populate':
      return void bindPopulate(context, type, parsePopulate(raw, nestedPlace(place)));
    case 'on':
      return checkTypes(context, raw, place);
    default: {
      const word = key === 'count' ? raw : key;
      if (strapiCasts.flag(word) === null) throw invalidKey('populate', key, place.path);
    }
  }
}

function checkTypes(context: Binding, on: unknown, place: PopulatePlace): void {
  const keyPath = childPath(place.keyPath, 'on');
  const { schema } = context;
  if (!isObject(on)) throw invalidKey('populate', 'on', keyPath);
  for (const uid of Object.keys(on)) {
    if (!schema.types.has(uid)) throw invalidKey('populate', uid, `${keyPath}.${uid}`);
  }
  for (const [uid, nested] of Object.entries(on)) {
    if (!isPlainObject(nested)) continue;
    bindPopulate(context, schema.type(uid), parsePopulate(nested, { ...place, keyPath: `${keyPath}[${uid}]` }));
  }
}

/** Returns the query that `parse` returns with objects in place of long lists. Null unless all are in `populate`. */
export function readLongLists(parse: () => RawQuery): RawQuery | null {
  try {
    const query = parse();
    return Object.entries(query).every(([param, value]) => isNumberedInPopulate(value, param)) ? query : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const otherLists: ReadonlySet<string> = new Set(['filters', 'fields', 'sort']);

/**
 * Returns whether objects with numbers for keys occur only in `populate`, where the numbers are wrong names. Elsewhere
 * they would be taken for operands, or rejected without naming the limit.
 */
function isNumberedInPopulate(value: unknown, param: string): boolean {
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => {
    if (param !== 'populate' && !Array.isArray(value) && /^\d+$/.test(key)) return false;
    return isNumberedInPopulate(inner, otherLists.has(key) ? key : param);
  });
}

/** Throws for the object that the parser makes of a list of names that is too long: its keys are numbers from 0. */
function rejectLongList(value: object, limit: number): void {
  const keys = Object.keys(value);
  if (keys.length <= limit || keys.some((key, i) => key !== String(i))) return;
  if (Object.values(value).some((item) => typeof item !== 'string')) return;
  throw new ValidationError(
    `Too many populate entries (${keys.length}). The maximum number of populate entries when using array notation is ` +
      `${limit}. Consider using object notation (populate[field]=true), nested population, or reducing the number ` +
      'of fields.',
    { source: 'query', param: 'populate' },
  );
}
