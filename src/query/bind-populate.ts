import { everything } from '../access/permissions.ts';
import { invalidKey, ValidationError } from '../errors.ts';
import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
  roleType,
  userType,
} from '../schema/schema.ts';
import { bindFields, select } from './bind-fields.ts';
import { bindFilters } from './bind-filters.ts';
import { bindSort } from './bind-sort.ts';
import { type Binding, findAttribute, join, mayFollow, mayRead } from './binding.ts';
import type { Condition, Fragment, Populated, SortKey } from './bound.ts';
import { readSwitch } from './cast.ts';
import {
  below,
  inOrder,
  invalidNesting,
  isCountable,
  isObject,
  isPlainInverse,
  isReadablePath,
  losesOptions,
  type Place,
  populatable,
  populateList,
  simple,
  textOf,
} from './populate-forms.ts';

const root: Place = { path: null, from: null };

/** Binds `populate`: `*`, a name, a comma list, a list, dotted paths, or an object of options by name. */
export function bindPopulate(binding: Binding, type: EntryType, value: unknown, place = root): Populated[] {
  if (value === undefined || value === null || value === '') return [];
  if (value === '*')
    return inOrder(
      type,
      populatable(type).map((every) => bindAttribute(binding, type, every, {}, below(place, every.name))),
    );
  const bound = isObject(value)
    ? Object.entries(value).map(([name, options]) => bindNamed(binding, type, name, options, place))
    : bindList(binding, type, populateList(binding, value, place), { path: null, from: place.from });
  return inOrder(type, bound);
}

/** Names and dotted paths; those with the same first name are one attribute with all that follows. */
function bindList(binding: Binding, type: EntryType, paths: string[], place: Place): (Populated | null)[] {
  const following = new Map<string, string[]>();
  for (const path of paths) {
    const [name, ...rest] = path.split('.').filter((part) => part !== '');
    const attribute = type.attributes.get(name);
    const at = join(place.path, name);
    // unlike elsewhere, a name that does not exist is reported with a path of its own
    if (!attribute || attribute.private || isScalar(attribute)) throw invalidKey('populate', name, at);
    if (binding.dialect.dropsUnreadablePaths && !isReadablePath(binding, attribute, rest)) continue;
    if (!following.has(name)) following.set(name, []);
    if (rest.length > 0) following.get(name)!.push(rest.join('.'));
  }
  return Array.from(following, ([name, rest]) => {
    const attribute = type.attributes.get(name) as LinkAttribute;
    const here = { path: join(place.path, name), from: join(place.from, name) };
    const isPathThrough = attribute.kind === 'relation' || attribute.kind === 'component';
    if (rest.length === 0) return bindAttribute(binding, type, attribute, {}, here);
    if (isPathThrough) {
      const target = binding.schema.type(attribute.target);
      const omitted = omit(binding, attribute, here);
      const inner = omitted ? { ...binding, omitted: [] } : binding;
      const populate = inOrder(target, bindList(inner, target, rest, here));
      return omitted
        ? null
        : simple(attribute, { [target.uid]: { fields: null, populate, filter: null, everyStatus: false } });
    }
    if (attribute.kind === 'dynamiczone') return bindZonePath(binding, attribute, rest, here);
    throw invalidKey('populate', name, here.path);
  });
}

/** A path through a zone leads on in those of its components that have the next name; one of them must. */
function bindZonePath(binding: Binding, attribute: PolymorphicAttribute, rest: string[], here: Place): Populated {
  const types = typesOf(binding, attribute, here);
  const heads = rest.map((path) => path.split('.')[0]);
  const known = (type: EntryType, name: string) => populatable(type).some((inner) => inner.name === name);
  const unknown = heads.find((name) => !types.some((type) => known(type, name)));
  if (unknown !== undefined) throw invalidKey('populate', unknown, join(here.path, unknown));
  const targets = types.map((type) => {
    const paths = rest.filter((_, i) => known(type, heads[i]));
    return [
      type.uid,
      { fields: null, populate: inOrder(type, bindList(binding, type, paths, here)), filter: null, everyStatus: false },
    ] as const;
  });
  return simple(attribute, Object.fromEntries(targets));
}

/** `populate[name]=…` */
function bindNamed(binding: Binding, type: EntryType, name: string, options: unknown, place: Place): Populated | null {
  const attribute = findAttribute(type, name, place.path, 'populate');
  const at = join(place.path, name);
  if (isScalar(attribute)) throw invalidKey('populate', name, at);
  const here = { path: at, from: join(place.from, name) };
  if (options === null || options === undefined || readSwitch(options) === false) return null;
  if (readSwitch(options) === true) {
    const isPlain = options === true || options === 'true';
    if (!isPlain && losesOptions(binding, attribute)) return null;
    return bindAttribute(binding, type, attribute, {}, here);
  }
  if (isObject(options)) return bindAttribute(binding, type, attribute, options, here);
  if (isPolymorphic(attribute)) throw invalidNesting(type, name, options);
  const target = binding.schema.type(attribute.target);
  const key = textOf(Array.isArray(options) ? options[0] : options);
  if (key !== '*') throw invalidKey('populate', key, target.attributes.has(key) ? join(at, key) : at);
  const [first] = populatable(target);
  if (!first) return bindAttribute(binding, type, attribute, {}, here);
  // the recorded service expands the star here and then refuses the first name that it gives
  const path = join(at, first.name);
  throw new ValidationError(`Invalid key ${first.name} at ${path}`, { key: first.name, path });
}

const optionNames = new Set(['fields', 'filters', 'sort', 'populate', 'count', 'on']);
const polymorphicOptionNames = new Set(['populate', 'count', 'on']);
const fragmentOptionNames = new Set(['fields', 'filters', 'sort', 'populate']);

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
      : invalidKey('populate', key, here.path);
  }
  const isCounted = options.count === undefined || options.count === null ? false : readSwitch(options.count);
  if (isCounted === null) throw invalidKey('populate', 'count', here.path);
  if (isPolymorphic(attribute)) {
    const targets = polymorphicTargets(binding, attribute, options, here);
    const count = isCounted && attribute.kind === 'polymorphic';
    const isLost = !count && Object.keys(options).length > 0 && !isObject(options.on);
    if (losesOptions(binding, attribute) && (isLost || Object.keys(targets).length === 0)) return null;
    return { ...simple(attribute, targets), count };
  }
  if (options.on !== undefined) {
    throw new ValidationError(`Using fragments is not permitted to populate "${attribute.name}" in "${type.uid}"`);
  }
  const target = binding.schema.type(attribute.target);
  // who has a role is shown to nobody
  if (type.uid === roleType && attribute.target === userType) return null;
  if (omit(binding, attribute, here)) {
    // names have to exist even where nothing will be shown
    bindFragment({ ...binding, permissions: everything(), omitted: [] }, target, options, here, attribute);
    return null;
  }
  const { fragment, sort } = bindFragment(binding, target, options, here, attribute);
  const wrapped = fragment.filter !== null && attribute.kind === 'relation' && attribute.many;
  return {
    attribute: attribute.name,
    count: isCounted && isCountable(attribute),
    wrapped: wrapped && binding.dialect.wrapsFilteredRelations,
    sort: sort.length > 0 ? sort : null,
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
  const filter = bindFilters(binding, target, options.filters, null, 'populate');
  const sort = bindSort(binding, target, options.sort, 'populate');
  const fields = bindFields(target, options.fields, 'populate');
  const populate = bindPopulate(binding, target, options.populate, place);
  // these two have no table between them and what they lead to: nothing is joined, and its columns are not all read
  const isDirect = isPlainInverse(binding, attribute);
  const isJoined = !isDirect && attribute.name !== 'localizations';
  const selection = select(binding, target, fields, populate, isJoined ? sort : []);
  const isLost = isDirect && fields !== null && binding.dialect.losesPolymorphicWithFields;
  return { fragment: { ...selection, filter: isLost ? never : filter, everyStatus: false }, sort };
}

/** A filter that holds for nothing. */
const never: Condition = { kind: 'any', conditions: [] };

/** Zones and polymorphic relations: every type alike, or with `on` only those that it names, each as it says. */
function polymorphicTargets(
  binding: Binding,
  attribute: PolymorphicAttribute,
  options: Record<string, unknown>,
  here: Place,
): Record<string, Fragment> {
  const types = typesOf(binding, attribute, here);
  const everyStatus = attribute.kind === 'polymorphic' && binding.dialect.followsToEveryStatus;
  if (options.on === undefined || options.on === null) {
    const isPlain = options.populate === undefined || options.populate === null;
    if (!isPlain && options.populate !== '*') throw invalidKey('populate', 'populate', here.path);
    const inner = isPlain ? {} : { populate: '*' };
    const fragments = types.map((target) => bindFragment(binding, target, inner, here, attribute).fragment);
    return Object.fromEntries(types.map(({ uid }, i) => [uid, { ...fragments[i], everyStatus }]));
  }
  if (!isObject(options.on)) throw invalidKey('populate', 'on', `${here.path}.on`);
  const fragments: Record<string, Fragment> = {};
  for (const [uid, value] of Object.entries(options.on)) {
    const target = binding.schema.types.get(uid);
    // a type that the attribute never leads to is no mistake: nothing of it will be found
    if (!target) throw invalidKey('populate', uid, `${here.path}.on.${uid}`);
    if (value === null || readSwitch(value) === false) continue;
    const inner = readSwitch(value) === true ? {} : value;
    if (!isObject(inner)) throw invalidKey('populate', textOf(value), here.path);
    const unknown = Object.keys(inner).find((key) => !fragmentOptionNames.has(key));
    if (unknown !== undefined) throw invalidKey('populate', unknown, here.path);
    const { fragment } = bindFragment(binding, target, inner, { ...here, from: `${here.from}.${uid}` }, attribute);
    // a component is read with what holds it; to reach it from elsewhere takes a right to everything
    const isAside = attribute.kind === 'polymorphic' && target.kind === 'component';
    if (isAside && !binding.permissions.allows(`${uid}.find`)) continue;
    if (mayRead(binding, target)) fragments[uid] = { ...fragment, everyStatus: everyStatus && !isObject(value) };
    else binding.omitted.push(`${here.from}.${uid}`);
  }
  return fragments;
}

/** The types that an attribute may lead to and that the caller may read. */
function typesOf(binding: Binding, attribute: PolymorphicAttribute, here: Place): EntryType[] {
  if (attribute.components) return attribute.components.map((uid) => binding.schema.type(uid));
  const types = Array.from(binding.schema.types.values()).filter((type) => type.kind !== 'component');
  const readable = types.filter((type) => mayRead(binding, type));
  if (readable.length < types.length) binding.omitted.push(join(here.from, '*'));
  return readable;
}

/** Whether the caller may not read what an attribute leads to; it is then left out of the reply and noted. */
function omit(binding: Binding, attribute: LinkAttribute, here: Place): boolean {
  const omitted = !isPolymorphic(attribute) && !mayFollow(binding, attribute);
  if (omitted) binding.omitted.push(here.from!);
  return omitted;
}
