/**
 * Keys of `populate` that name no attribute. Strapi checks the words that are options and then ignores them. It ignores
 * keys that read as booleans, too. `0` and `1` are among them, so a list that Strapi takes for an object fails at its
 * third item, whose key is `2`. It rejects all other keys.
 */
import { invalidKey } from '../../base/errors.ts';
import type { EntryType } from '../../model/schema.ts';
import type { NestedCheck } from '../policies.ts';
import { parseFields } from '../syntax/fields-node.ts';
import { parseFilter } from '../syntax/filter-nodes.ts';
import { childPath, nestedPlace, optionPart, type PopulatePlace } from '../syntax/location.ts';
import { parsePopulate } from '../syntax/populate-nodes.ts';
import { isObject, isPlainObject } from '../syntax/raw-value.ts';
import { parseSort } from '../syntax/sort-nodes.ts';
import { strapiCasts } from './casts.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';

/** Checks a key that is no attribute. Throws unless Strapi ignores it. */
export function checkOtherKey(
  type: EntryType,
  key: string,
  raw: unknown,
  place: PopulatePlace,
  check: NestedCheck,
): void {
  switch (key) {
    case 'sort':
      return checkSortNames(check.context, type, parseSort(raw), 'populate');
    case 'filters':
      return checkFilterNames(check.context, type, parseFilter(raw), 'populate');
    case 'fields':
      return check.fields(type, parseFields(raw), optionPart(place, key));
    case 'populate':
      return check.populate(type, parsePopulate(raw, nestedPlace(place)));
    case 'on':
      return checkTypes(raw, place, check);
    default: {
      const word = key === 'count' ? raw : key;
      if (strapiCasts.flag(word) === null) throw invalidKey('populate', key, place.path);
    }
  }
}

function checkTypes(on: unknown, place: PopulatePlace, check: NestedCheck): void {
  const raw = childPath(place.raw, 'on');
  const { schema } = check.context;
  if (!isObject(on)) throw invalidKey('populate', 'on', raw);
  for (const uid of Object.keys(on)) {
    if (!schema.types.has(uid)) throw invalidKey('populate', uid, `${raw}.${uid}`);
  }
  for (const [uid, nested] of Object.entries(on)) {
    if (!isPlainObject(nested)) continue;
    check.populate(schema.type(uid), parsePopulate(nested, { ...place, raw: `${raw}[${uid}]` }));
  }
}
