/**
 * Keys of `populate` that name no attribute. Strapi checks the words that are options and then ignores them. It ignores
 * keys that read as booleans, too. `0` and `1` are among them, so a list that Strapi takes for an object fails at its
 * third item, whose key is `2`. It rejects all other keys.
 */
import { invalidKey } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { bindFields } from '../bind/bind-fields.ts';
import { unrestricted } from '../bind/context.ts';
import { bindPopulate } from '../bind/populate/bind-populate.ts';
import type { Binding } from '../policies.ts';
import { parseFields } from '../syntax/fields-node.ts';
import { parseFilter } from '../syntax/filter-nodes.ts';
import { childPath, nestedPlace, optionPart, type PopulatePlace } from '../syntax/location.ts';
import { parsePopulate } from '../syntax/populate-nodes.ts';
import { isObject } from '../syntax/raw-value.ts';
import { parseSort } from '../syntax/sort-nodes.ts';
import { strapiCasts } from './casts.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';

/** Checks a key that is no attribute, as a caller who may read everything. Throws unless Strapi ignores it. */
export function checkOtherKey(
  binding: Binding,
  type: EntryType,
  key: string,
  raw: unknown,
  place: PopulatePlace,
): void {
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
