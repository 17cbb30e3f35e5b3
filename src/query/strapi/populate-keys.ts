/**
 * Keys of `populate` that name no attribute. The recorded service checks the words that are options, passes over those
 * and over booleans (the numbers 0 and 1 among them, which the first items of a list have for keys), and refuses others.
 */
import { allPermissions } from '../../access/permissions.ts';
import { invalidKey, ValidationError } from '../../base/errors.ts';
import type { EntryType } from '../../model/schema.ts';
import { bindFields } from '../bind/bind-fields.ts';
import type { Binding } from '../bind/binding.ts';
import { childPath } from '../syntax/place.ts';
import { isObject, isPlainObject } from '../syntax/raw-value.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';
import { inside, type Place } from './populate-forms.ts';

/** Binds `populate` below a word, only to find what is wrong with it. */
type BindNested = (binding: Binding, type: EntryType, value: unknown, place: Place) => unknown;

/** For what is bound though it will not be shown: its names have to exist. */
export function unseen(binding: Binding): Binding {
  return { ...binding, permissions: allPermissions(), omitted: [] };
}

/** Checks a key that is no attribute. Throws unless the recorded service passes over it. */
export function checkOtherKey(
  binding: Binding,
  type: EntryType,
  key: string,
  value: unknown,
  place: Place,
  bindNested: BindNested,
): void {
  const open = unseen(binding);
  switch (key) {
    case 'sort':
      return checkSortNames(open, type, value, 'populate');
    case 'filters':
      return checkFilterNames(open, type, value, 'populate');
    case 'fields':
      return void bindFields(open, type, value, binding.messages.optionPart(place, key));
    case 'populate':
      return void bindNested(open, type, value, inside(place));
    case 'on':
      return checkFragments(open, value, place, bindNested);
    default: {
      const word = key === 'count' ? value : key;
      if (binding.casts.flag(word) === null) throw invalidKey('populate', key, place.path);
    }
  }
}

function checkFragments(binding: Binding, value: unknown, place: Place, bindNested: BindNested): void {
  const raw = childPath(place.raw, 'on');
  if (!isObject(value)) throw invalidKey('populate', 'on', raw);
  for (const uid of Object.keys(value)) {
    if (!binding.schema.types.has(uid)) throw invalidKey('populate', uid, `${raw}.${uid}`);
  }
  for (const [uid, nested] of Object.entries(value)) {
    const type = binding.schema.type(uid);
    if (isPlainObject(nested)) bindNested(binding, type, nested, { ...place, raw: `${raw}[${uid}]` });
  }
}

/** Whether a key among the options of a relation is passed over. */
export function isPassedOver({ dialect, casts }: Binding, key: string): boolean {
  return dialect.passesOverPopulateKeys && casts.flag(key) !== null;
}

/**
 * Throws for the object that the parser makes of a list of names that is too long: its keys are the numbers from 0 on.
 */
export function refuseLongList({ dialect, arrayLimit }: Binding, value: object): void {
  const keys = dialect.numbersLongLists ? Object.keys(value) : [];
  if (keys.length <= arrayLimit || keys.some((key, i) => key !== String(i))) return;
  if (Object.values(value).some((item) => typeof item !== 'string')) return;
  throw new ValidationError(
    `Too many populate entries (${keys.length}). The maximum number of populate entries when using array notation is ` +
      `${arrayLimit}. Consider using object notation (populate[field]=true), nested population, or reducing the number ` +
      'of fields.',
    { source: 'query', param: 'populate' },
  );
}
