import { everything } from '../access/permissions.ts';
import { invalidKey, ValidationError } from '../errors.ts';
import {
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
} from '../schema/schema.ts';
import { identifiers } from './attribute-names.ts';
import { bindFields, select } from './bind-fields.ts';
import { bindFilters } from './bind-filters.ts';
import { bindSort } from './bind-sort.ts';
import { type Binding, mayFollow } from './binding.ts';
import {
  type Fragment,
  leadsThroughRelation,
  never,
  type Populated,
  type SortKey,
  type Window,
  windowKey,
} from './bound.ts';
import { readSwitch } from './cast.ts';
import {
  below,
  fragmentOf,
  fragmentOptionNames,
  inOrder,
  inside,
  invalidNested,
  invalidNesting,
  invalidOption,
  isCountable,
  isPlainInverse,
  losesOptions,
  optionNames,
  type Place,
  plainOptions,
  polymorphicOptionNames,
  populatable,
  simple,
  typeNamed,
} from './populate-forms.ts';
import { type PopulatePath, populatePaths } from './populate-paths.ts';
import { mayChoose, omit, tellsUsers, typesOf } from './populate-rights.ts';
import { isGroup } from './raw-value.ts';

const root: Place = { path: null, raw: null, from: null };

/** Binds `populate`: `*`, a name, a comma list, a list, dotted paths, or an object of options by name. */
export function bindPopulate(binding: Binding, type: EntryType, value: unknown, place = root): Populated[] {
  if (value === undefined || value === null || (value === '' && place.path === null)) return [];
  if (value === '*')
    return inOrder(
      type,
      populatable(type).map((every) => bindAttribute(binding, type, every, {}, below(place, every.name))),
    );
  if (!isGroup(value)) return bindPaths(binding, type, populatePaths(binding, type, value, place), place);
  // a private name is refused after all others have been looked at
  const isPrivate = ([name]: [string, unknown]) => type.attributes.get(name)?.private === true;
  const entries = Object.entries(value);
  const inTurn = [...entries.filter((entry) => !isPrivate(entry)), ...entries.filter(isPrivate)];
  return inOrder(
    type,
    inTurn.map(([name, options]) => bindNamed(binding, type, name, options, place)),
  );
}

/** Paths with the same first name are one attribute with all that follows. What cannot be followed ends there. */
function bindPaths(binding: Binding, type: EntryType, paths: readonly PopulatePath[], place: Place): Populated[] {
  const following = new Map<string, PopulatePath[]>();
  for (const path of paths) following.set(path.names[0], [...(following.get(path.names[0]) ?? []), path]);
  const bound = Array.from(following, ([name, sharing]) => {
    const attribute = type.attributes.get(name);
    if (!attribute || attribute.private || isScalar(attribute) || tellsUsers(type, attribute)) return null;
    const here = below(place, name);
    const rest = sharing
      .filter(({ names }) => names.length > 1)
      .map(({ names, ofAskedStatus }) => ({ names: names.slice(1), ofAskedStatus }));
    if (rest.length === 0) {
      const populated = bindAttribute(binding, type, attribute, {}, here);
      return populated && sharing.some(({ ofAskedStatus }) => ofAskedStatus) ? ofAskedStatus(populated) : populated;
    }
    if (attribute.kind === 'dynamiczone') return bindZonePaths(binding, attribute, rest, here);
    if (isPolymorphic(attribute)) return null;
    const target = binding.schema.type(attribute.target);
    const omitted = omit(binding, attribute, here);
    const inner = omitted ? { ...binding, omitted: [] } : binding;
    binding.budget.countPopulated();
    const populate = bindPaths(inner, target, rest, here);
    const fragment = { fields: null, populate, filter: null, everyStatus: false };
    return omitted ? null : simple(attribute, { [target.uid]: fragment });
  });
  return inOrder(type, bound);
}

/** A path through a zone leads on in those of its components that have the next name. */
function bindZonePaths(
  binding: Binding,
  attribute: PolymorphicAttribute,
  rest: readonly PopulatePath[],
  here: Place,
): Populated {
  const targets = typesOf(binding, attribute, here).map((type) => {
    binding.budget.countPopulated();
    const populate = bindPaths(binding, type, rest, here);
    return [type.uid, { fields: null, populate, filter: null, everyStatus: false }] as const;
  });
  return simple(attribute, Object.fromEntries(targets));
}

function ofAskedStatus(populated: Populated): Populated {
  const targets = Object.entries(populated.targets).map(([uid, fragment]) => [
    uid,
    { ...fragment, everyStatus: false },
  ]);
  return { ...populated, targets: Object.fromEntries(targets) };
}

/** `populate[name]=…` */
function bindNamed(binding: Binding, type: EntryType, name: string, options: unknown, place: Place): Populated | null {
  const attribute = type.attributes.get(name);
  if (!attribute || identifiers.has(name)) throw invalidKey('populate', name, place.path);
  const here = below(place, name);
  if (isScalar(attribute)) throw invalidKey('populate', name, here.raw);
  if (!attribute.private) return bindOptions(binding, type, attribute, options, here);
  // a private name is refused, but what is wrong with its options is told first
  const isKnown = !isPolymorphic(attribute) && binding.schema.types.has(attribute.target);
  if (isKnown && options !== '*') bindOptions(unseen(binding), type, attribute, options, here);
  throw invalidKey('populate', name, here.path);
}

/** For what is bound though it will not be shown: its names have to exist. */
function unseen(binding: Binding): Binding {
  return { ...binding, permissions: everything(), omitted: [] };
}

function bindOptions(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  options: unknown,
  here: Place,
): Populated | null {
  if (options === null || options === undefined || readSwitch(options) === false) return null;
  if (isPolymorphic(attribute) && losesOptions(binding, attribute, options)) {
    const nested = isGroup(options) ? options.populate : undefined;
    if (nested !== undefined && nested !== null && nested !== '*') throw invalidKey('populate', 'populate', here.raw);
    return null;
  }
  if (readSwitch(options) === true) return bindAttribute(binding, type, attribute, {}, here);
  if (isGroup(options)) return bindAttribute(binding, type, attribute, options, here);
  if (isPolymorphic(attribute)) throw invalidNesting(type, attribute.name, options);
  const isOmitted = options === '*' && !mayFollow(binding, attribute);
  const said = isOmitted ? {} : plainOptions(binding, binding.schema.type(attribute.target), options, here.path!);
  return bindAttribute(binding, type, attribute, said, here);
}

/** One attribute with its options. Null if the caller may not read what it leads to. */
function bindAttribute(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  options: Record<string, unknown>,
  here: Place,
): Populated | null {
  const allowed = isPolymorphic(attribute) ? polymorphicOptionNames : optionNames;
  for (const key of Object.keys(options)) {
    if (allowed.has(key)) continue;
    throw isPolymorphic(attribute)
      ? invalidNesting(type, attribute.name, options)
      : invalidOption(binding.schema.type(attribute.target), key, here.path!);
  }
  const isCounted = options.count === undefined ? false : readSwitch(options.count);
  if (isCounted === null && attribute.kind !== 'dynamiczone') throw invalidKey('populate', 'count', here.path);
  if (isPolymorphic(attribute)) {
    const targets = polymorphicTargets(binding, attribute, options, here);
    if (targets === null) return null;
    return { ...simple(attribute, targets), count: isCounted === true && attribute.kind === 'polymorphic' };
  }
  if (options.on !== undefined) {
    if (!isGroup(options.on)) throw invalidKey('populate', 'on', `${here.raw}.on`);
    for (const uid of Object.keys(options.on)) typeNamed(binding, uid, here);
    throw new ValidationError(`Using fragments is not permitted to populate "${attribute.name}" in "${type.uid}"`);
  }
  const target = binding.schema.type(attribute.target);
  if (tellsUsers(type, attribute)) return null;
  if (omit(binding, attribute, here)) {
    bindFragment(unseen(binding), target, options, here, attribute);
    return null;
  }
  const { fragment, sort } = bindFragment(binding, target, options, here, attribute);
  const wrapped = fragment.filter !== null && attribute.kind === 'relation' && attribute.many;
  return {
    attribute: attribute.name,
    count: isCounted === true && isCountable(attribute),
    wrapped: wrapped && binding.dialect.wrapsFilteredRelations,
    sort: sort.length > 0 ? sort : null,
    window: (options as { [windowKey]?: Window })[windowKey],
    targets: { [target.uid]: fragment },
  };
}

/** What the options of one populated type say: filters, sort, fields and what is populated further. */
function bindFragment(
  binding: Binding,
  target: EntryType,
  options: Record<string, unknown>,
  place: Place,
  attribute: LinkAttribute,
): { fragment: Fragment; sort: SortKey[] } {
  binding.budget.countPopulated();
  const filters = options.filters === '' ? undefined : options.filters;
  const filter = bindFilters(binding, target, filters, null, 'populate');
  const sort = bindSort(binding, target, options.sort, 'populate');
  const fields = bindFields(target, options.fields, 'populate');
  const populate = bindPopulate(binding, target, options.populate, inside(place));
  // these two have no table between them and what they lead to: nothing is joined, unless by a filter of localizations,
  // and its columns are not all read
  const isDirect = isPlainInverse(binding, attribute);
  const isFiltered = filter !== null && leadsThroughRelation(filter);
  const isJoined = isLocalizations(attribute) ? isFiltered : !isDirect;
  const selection = select(binding, target, fields, populate, isJoined ? sort : []);
  const isLost = isDirect && fields !== null && binding.dialect.losesPolymorphicWithFields;
  return { fragment: { ...selection, filter: isLost ? never : filter, everyStatus: false }, sort };
}

/**
 * Zones and polymorphic relations: every type alike, or with `on` only those that it names, each as it says. Null,
 * in one dialect, if it names types and the caller may read none of them.
 */
function polymorphicTargets(
  binding: Binding,
  attribute: PolymorphicAttribute,
  options: Record<string, unknown>,
  here: Place,
): Record<string, Fragment> | null {
  const everyStatus = attribute.kind === 'polymorphic' && binding.dialect.followsToEveryStatus;
  if (options.on === undefined || options.on === null) {
    const isPlain = options.populate === undefined || options.populate === null;
    if (!isPlain && options.populate !== '*') throw invalidKey('populate', 'populate', here.raw);
    const inner = isPlain ? {} : { populate: '*' };
    const fragments = typesOf(binding, attribute, here).map((target) => {
      const { fragment } = bindFragment(binding, target, inner, here, attribute);
      return [target.uid, { ...fragment, populate: fragment.populate.map(ofAskedStatus), everyStatus }] as const;
    });
    return Object.fromEntries(fragments);
  }
  // a zone takes a text that says nothing as naming nothing
  const on = options.on === '' && attribute.kind === 'dynamiczone' ? {} : options.on;
  if (!isGroup(on)) throw invalidKey('populate', 'on', `${here.raw}.on`);
  const fragments: Record<string, Fragment> = {};
  let mayReadSome = false;
  for (const [uid, value] of Object.entries(on)) {
    const target = typeNamed(binding, uid, here);
    const fragment = bindChosen(binding, target, value, fragmentOf(here, uid), attribute);
    if (!mayChoose(binding, attribute, target)) binding.omitted.push(`${here.from}.${uid}`);
    else {
      mayReadSome = true;
      if (fragment) fragments[uid] = { ...fragment, everyStatus: everyStatus && !isGroup(value) };
    }
  }
  return mayReadSome || !binding.dialect.losesPolymorphicWithFields || attribute.kind === 'dynamiczone'
    ? fragments
    : null;
}

/** What `on[uid]=…` says of a type. Null: its entries are not shown. A zone shows what it names, whatever is said. */
function bindChosen(
  binding: Binding,
  target: EntryType,
  value: unknown,
  here: Place,
  attribute: PolymorphicAttribute,
): Fragment | null {
  if (value === null) throw invalidNested();
  const said = readSwitch(value);
  if (said === false && attribute.kind === 'polymorphic') return null;
  const isUnseen = value === '*' && !mayChoose(binding, attribute, target);
  const isPlain = said !== null || isUnseen;
  const options = isPlain ? {} : isGroup(value) ? value : plainOptions(binding, target, value, here.path!);
  const unknown = Object.keys(options).find((key) => !fragmentOptionNames.has(key));
  if (unknown !== undefined) throw invalidOption(target, unknown, here.path!);
  return bindFragment(binding, target, options, here, attribute).fragment;
}
