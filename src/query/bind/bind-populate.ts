import {
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
} from '../../model/schema.ts';
import {
  type Fragment,
  leadsThroughRelation,
  matchNothing,
  type Populated,
  type SortKey,
  type Window,
  windowKey,
} from '../bound.ts';
import {
  below,
  fragmentOf,
  fragmentOptionNames,
  inOrder,
  inside,
  isCountable,
  isPlainInverse,
  losesOptions,
  optionNames,
  type Place,
  partOf,
  plainOptions,
  polymorphicOptionNames,
  populatable,
  relationOptionNames,
  simple,
  typeNamed,
} from '../strapi/populate-forms.ts';
import { checkOtherKey, isPassedOver, refuseLongList, unseen } from '../strapi/populate-keys.ts';
import { type PopulatePath, populatePaths } from '../strapi/populate-paths.ts';
import { mayChoose, omit, tellsUsers, typesOf } from '../strapi/populate-rights.ts';
import { isAttributeName } from '../syntax/attribute-names.ts';
import type { Path } from '../syntax/place.ts';
import { isPlainObject } from '../syntax/raw-value.ts';
import { bindFields, select } from './bind-fields.ts';
import { bindFilters } from './bind-filters.ts';
import { bindSort } from './bind-sort.ts';
import { type Binding, mayFollow, seesOf } from './binding.ts';

const root: Place = { path: null, raw: null, from: null, written: 'populate' };

/** Binds `populate`: `*`, a name, a comma list, a list, dotted paths, or an object of options by name. */
export function bindPopulate(binding: Binding, type: EntryType, value: unknown, place = root): Populated[] {
  if (value === undefined || value === null || (value === '' && place.path === null)) return [];
  if (value === '*')
    return inOrder(
      type,
      populatable(type).map((every) => bindAttribute(binding, type, every, {}, below(place, every.name))),
    );
  if (!isPlainObject(value)) return bindPaths(binding, type, populatePaths(binding, type, value, place), place);
  refuseLongList(binding, value);
  const isPrivate = ([name]: [string, unknown]) => type.attributes.get(name)?.private === true;
  const entries = Object.entries(value);
  const { privateLast } = binding.messages;
  const inTurn = privateLast
    ? [...entries.filter((entry) => !isPrivate(entry)), ...entries.filter(isPrivate)]
    : entries;
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
  const { messages, schema, dialect } = binding;
  const attribute = type.attributes.get(name);
  if (!attribute && dialect.passesOverPopulateKeys) {
    checkOtherKey(binding, type, name, options, place, bindPopulate);
    return null;
  }
  const here = below(place, name);
  const wrong = (raw?: Path) =>
    messages.name({
      part: partOf(place),
      type,
      name,
      parent: place.path,
      use: 'populate',
      sees: seesOf(binding),
      value: options,
      raw,
    });
  if (!attribute || isScalar(attribute)) throw wrong(here.raw);
  if (!attribute.private) return bindOptions(binding, type, attribute, options, here);
  // the service reports what is wrong with the options first
  const isKnown = messages.privateLast && !isPolymorphic(attribute) && schema.types.has(attribute.target);
  if (isKnown && options !== '*') bindOptions(unseen(binding), type, attribute, options, here);
  throw wrong();
}

function bindOptions(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  options: unknown,
  here: Place,
): Populated | null {
  const { messages, casts, dialect } = binding;
  if (options === undefined || (options === null && !casts.isStrict)) return null;
  const flag = casts.flag(options);
  if (flag === false) return null;
  if (!dialect.checksUnreadableOptions && omit(binding, attribute, here)) return null;
  if (isPolymorphic(attribute) && losesOptions(binding, attribute, options)) {
    const nested = isPlainObject(options) ? options.populate : undefined;
    if (nested !== undefined && nested !== null && nested !== '*') {
      throw messages.populateOfSeveral(here, type, attribute, nested);
    }
    return null;
  }
  if (flag === true) return bindAttribute(binding, type, attribute, {}, here);
  if (isPlainObject(options)) {
    if (!isPolymorphic(attribute)) refuseLongList(binding, options);
    return bindAttribute(binding, type, attribute, options, here);
  }
  if (isPolymorphic(attribute)) {
    if (options !== '*' || !dialect.starPopulates) throw messages.severalTypes(here, type, attribute, options);
    return bindAttribute(binding, type, attribute, { populate: '*' }, here);
  }
  const isOmitted = options === '*' && !mayFollow(binding, attribute);
  const said = isOmitted ? {} : plainOptions(binding, binding.schema.type(attribute.target), options, here);
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
  const { messages, casts } = binding;
  const allowed = isPolymorphic(attribute) ? polymorphicOptionNames : optionNames;
  for (const key of Object.keys(options)) {
    if (allowed.has(key)) continue;
    if (!isPolymorphic(attribute) && isPassedOver(binding, key)) continue;
    if (isPolymorphic(attribute)) throw messages.severalTypes(here, type, attribute, options);
    throw messages.option(
      here,
      binding.schema.type(attribute.target),
      key,
      relationOptionNames,
      options[key],
      seesOf(binding),
    );
  }
  const isCounted = options.count === undefined ? false : casts.flag(options.count);
  if (isCounted === null && (attribute.kind !== 'dynamiczone' || casts.isStrict)) {
    throw messages.count(here, options.count);
  }
  if (isPolymorphic(attribute)) {
    const targets = polymorphicTargets(binding, type, attribute, options, here);
    if (targets === null) return null;
    return { ...simple(attribute, targets), count: isCounted === true && attribute.kind === 'polymorphic' };
  }
  if (options.on !== undefined) {
    if (!isPlainObject(options.on)) throw messages.onForm(here, options.on);
    for (const uid of Object.keys(options.on)) typeNamed(binding, uid, here, attribute);
    throw messages.onOfOne(here, type, attribute.name, options.on);
  }
  const target = binding.schema.type(attribute.target);
  if (tellsUsers(type, attribute)) return null;
  if (omit(binding, attribute, here)) {
    if (binding.dialect.checksUnreadableOptions) bindFragment(unseen(binding), target, options, here, attribute);
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
  const part = (name: string) => binding.messages.optionPart(place, name);
  const filter = bindFilters(binding, target, options.filters, part('filters'));
  const sort = bindSort(binding, target, options.sort, part('sort'));
  const fields = bindFields(binding, target, options.fields, part('fields'));
  const populate = bindPopulate(binding, target, options.populate, inside(place));
  // these two have no table between them and what they lead to: nothing is joined, unless by a filter of localizations,
  // and its columns are not all read
  const isDirect = isPlainInverse(binding, attribute);
  const isFiltered = filter !== null && leadsThroughRelation(filter);
  const isJoined = isLocalizations(attribute) ? isFiltered : !isDirect;
  const selection = select(binding, target, fields, populate, isJoined ? sort : []);
  const isLost = isDirect && fields !== null && binding.dialect.losesPolymorphicWithFields;
  return { fragment: { ...selection, filter: isLost ? matchNothing : filter, everyStatus: false }, sort };
}

/**
 * Zones and polymorphic relations: every type alike, or with `on` only those that it names, each as it says. Null,
 * in one dialect, if it names types and the caller may read none of them.
 */
function polymorphicTargets(
  binding: Binding,
  type: EntryType,
  attribute: PolymorphicAttribute,
  options: Record<string, unknown>,
  here: Place,
): Record<string, Fragment> | null {
  const everyStatus = attribute.kind === 'polymorphic' && binding.dialect.followsToEveryStatus;
  if (options.on === undefined || options.on === null) {
    const isPlain = options.populate === undefined || options.populate === null;
    if (!isPlain && options.populate !== '*') {
      throw binding.messages.populateOfSeveral(here, type, attribute, options.populate);
    }
    const inner = isPlain ? {} : { populate: '*' };
    const fragments = typesOf(binding, attribute, here).map((target) => {
      const { fragment } = bindFragment(binding, target, inner, here, attribute);
      return [target.uid, { ...fragment, populate: fragment.populate.map(ofAskedStatus), everyStatus }] as const;
    });
    return Object.fromEntries(fragments);
  }
  // the service takes an empty text for a zone as naming no type
  const on = options.on === '' && attribute.kind === 'dynamiczone' && !binding.casts.isStrict ? {} : options.on;
  if (!isPlainObject(on)) throw binding.messages.onForm(here, on);
  const fragments: Record<string, Fragment> = {};
  let mayReadSome = false;
  for (const [uid, value] of Object.entries(on)) {
    const target = typeNamed(binding, uid, here, attribute);
    const fragment = bindChosen(binding, target, value, fragmentOf(here, uid), attribute);
    if (!mayChoose(binding, attribute, target)) binding.omitted.push(`${here.from}.${uid}`);
    else {
      mayReadSome = true;
      if (fragment) fragments[uid] = { ...fragment, everyStatus: everyStatus && !isPlainObject(value) };
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
  const { casts, messages, dialect } = binding;
  if (isPlainObject(value)) refuseLongList(binding, value);
  if (value === null) throw messages.options(here, target, value, seesOf(binding));
  const said = casts.flag(value);
  if (said === false && attribute.kind === 'polymorphic') return null;
  const isUnseen = value === '*' && !mayChoose(binding, attribute, target);
  const isPlain = said !== null || isUnseen;
  const options = isPlain ? {} : isPlainObject(value) ? value : plainOptions(binding, target, value, here);
  for (const [key, option] of Object.entries(options)) {
    if (fragmentOptionNames.has(key)) continue;
    if (!dialect.passesOverPopulateKeys || isAttributeName(target, key)) {
      throw messages.option(here, target, key, fragmentOptionNames, option, seesOf(binding));
    }
    checkOtherKey(binding, target, key, option, here, bindPopulate);
  }
  return bindFragment(binding, target, options, here, attribute).fragment;
}
