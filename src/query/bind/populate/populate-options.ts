/** Checks of the options of `populate`. */
import type { ValidationError } from '../../../core/errors.ts';
import {
  type EntryType,
  isPolymorphic,
  type LinkAttribute,
  type PolymorphicAttribute,
} from '../../../model/schema/schema.ts';
import type { Binding } from '../../policies.ts';
import type { PopulatePlace } from '../../syntax/location.ts';
import type { OnNode, PopulateOptions } from '../../syntax/populate-nodes.ts';
import { windowOptions } from './populate-window.ts';
import { readableContentTypes } from './populated.ts';

const polymorphicOptions: readonly string[] = ['populate', 'count', 'on'];
const fragmentOptions: readonly string[] = ['fields', 'filters', 'sort', 'populate'];
/** `on` is rejected later, with a reason of its own. */
const relationOptions: readonly string[] = [...fragmentOptions, 'count'];
const optionsWithWindow: readonly string[] = [...relationOptions, ...windowOptions];

/** Throws for an option that the attribute does not take. */
export function checkOptions(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  { raw, keys }: PopulateOptions,
  place: PopulatePlace,
): void {
  const { errors, populateChecks } = binding.policies;
  const known = binding.features.has('populateWindow') ? optionsWithWindow : relationOptions;
  for (const key of keys) {
    if (isPolymorphic(attribute)) {
      if (!polymorphicOptions.includes(key)) throw errors.missingOn(place, type, attribute, raw);
    } else if (!known.includes(key) && key !== 'on' && !populateChecks.ignoresOption(key)) {
      const target = binding.schema.type(attribute.target);
      throw errors.unknownOption(binding, place, target, key, known, raw[key]);
    }
  }
}

/** Throws for an option that a type in `on` does not take. */
export function checkFragmentOptions(
  binding: Binding,
  target: EntryType,
  { raw, keys }: PopulateOptions,
  place: PopulatePlace,
): void {
  const { errors, populateChecks } = binding.policies;
  for (const key of keys) {
    if (fragmentOptions.includes(key) || populateChecks.ignoresKey(binding, target, key, raw[key], place)) continue;
    throw errors.unknownOption(binding, place, target, key, fragmentOptions, raw[key]);
  }
}

/** Returns the options that a single value means. Only a star can mean any. */
export function optionsOfValue(
  binding: Binding,
  target: EntryType,
  raw: unknown,
  place: PopulatePlace,
): PopulateOptions {
  const options = raw === '*' ? binding.policies.populateSyntax.starOptions(binding, target, place) : null;
  if (options) return options;
  throw binding.policies.errors.notOptions(binding, place, target, raw);
}

/** Throws unless the option `populate` of an attribute that leads to several types is absent or a star. */
export function checkPopulateOfSeveral(
  { policies }: Binding,
  type: EntryType,
  attribute: PolymorphicAttribute,
  { raw, populate }: PopulateOptions,
  place: PopulatePlace,
): void {
  if (populate === null || populate.kind === 'star') return;
  throw policies.errors.populateWithoutOn(place, type, attribute, raw.populate);
}

/**
 * Returns the type that `on` names. A type that a polymorphic relation never leads to is accepted and matches nothing.
 */
export function fragmentType(
  binding: Binding,
  uid: string,
  place: PopulatePlace,
  components: readonly string[] | null,
): EntryType {
  const { errors, populateChecks } = binding.policies;
  const type = binding.schema.types.get(uid);
  if (type && populateChecks.acceptsType(uid, components)) return type;
  throw errors.unknownType(place, uid, components ?? readableContentTypes(binding));
}

/** Reads the option `count`. Throws for a value that is neither true nor false, if it matters. */
export function readCount(
  { policies }: Binding,
  attribute: LinkAttribute,
  { count }: PopulateOptions,
  place: PopulatePlace,
): boolean {
  const { casts, errors, populateChecks } = policies;
  if (count === undefined) return false;
  const flag = casts.flag(count);
  if (flag === null && !populateChecks.acceptsAnyCount(attribute)) throw errors.wrongCount(place, count);
  return flag === true;
}

/** Returns the error for `on` at an attribute that leads to one type. Mistakes in `on` itself come first. */
export function unexpectedOn(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  { entries, raw }: OnNode,
  place: PopulatePlace,
): ValidationError {
  const { errors } = binding.policies;
  if (entries === null) return errors.wrongOn(place, raw);
  for (const { key } of entries) fragmentType(binding, key, place, null);
  return errors.needlessOn(place, type, attribute.name, raw);
}
