/**
 * `populate` as Strapi 4 reads it. Names and options that do not exist are passed over there, a text in place of
 * options is a switch, options of a dynamic zone count for each of its components, and lists may be cut.
 */
import { PaginationError, ValidationError } from '../../base/errors.ts';
import { type EntryType, isPolymorphic, isScalar, type LinkAttribute, type Schema } from '../../model/schema.ts';
import { recordedCasts } from '../bind/cast.ts';
import { type Window, windowKey } from '../bound.ts';
import { isPlainObject } from '../syntax/raw-value.ts';

const keptOptions = ['sort', 'filters', 'fields', 'count'];

/** Writes `populate` in the form that Strapi 5 accepts. What is a mistake in Strapi 4 too stays as it is. */
export function populateOfVersion4(schema: Schema, type: EntryType, value: unknown): unknown {
  if (value === '*') return value;
  if (typeof value === 'string') return knownPaths(schema, type, [value]);
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'string') ? knownPaths(schema, type, value) : value;
  }
  if (!isPlainObject(value)) return value;
  const known: Record<string, unknown> = {};
  for (const [name, options] of Object.entries(value)) {
    const attribute = populatable(type, name);
    if (attribute) known[name] = optionsOf(schema, attribute, options);
  }
  return known;
}

function populatable(type: EntryType, name: string): LinkAttribute | null {
  const attribute = type.attributes.get(name);
  return attribute && !isScalar(attribute) && !attribute.private ? attribute : null;
}

/** Paths, each cut before the first name that leads nowhere. Undefined if none is left. */
function knownPaths(schema: Schema, type: EntryType, texts: readonly string[]): string[] | undefined {
  const paths = texts
    .flatMap((text) => text.split(','))
    .map((text) => text.split('.').map((name) => name.trim()))
    .map((names) => names.slice(0, knownLength(schema, [type], names)))
    .filter((names) => names.length > 0)
    .map((names) => names.join('.'));
  return paths.length > 0 ? [...new Set(paths)] : undefined;
}

/** How many names can be followed, one below the other, from one of the types at least. */
function knownLength(schema: Schema, types: readonly EntryType[], names: readonly string[]): number {
  let current = types;
  for (let i = 0; i < names.length; i++) {
    const attributes = current.flatMap((type) => populatable(type, names[i]) ?? []);
    if (attributes.length === 0) return i;
    const targets = new Set(attributes.flatMap((attribute) => targetsOf(schema, attribute)));
    if (targets.size === 0) return i + 1;
    current = [...targets];
  }
  return names.length;
}

/** The types that a path may lead on to. */
function targetsOf(schema: Schema, attribute: LinkAttribute): EntryType[] {
  const uids = isPolymorphic(attribute) ? (attribute.components ?? []) : [attribute.target];
  return uids.flatMap((uid) => schema.types.get(uid) ?? []);
}

function optionsOf(schema: Schema, attribute: LinkAttribute, options: unknown): unknown {
  if (typeof options === 'string') return recordedCasts.flag(options) !== false;
  if (!isPlainObject(options)) return options;
  if (!isPolymorphic(attribute)) {
    const target = schema.types.get(attribute.target);
    return target ? fragmentOf(schema, target, options) : options;
  }
  const { on, populate, count, ...others } = options;
  if (isPlainObject(on)) return { on: chosenOf(schema, on) };
  const misplaced = Object.keys(others).find((key) => key === 'filters' || key === 'sort' || key === 'fields');
  if (misplaced !== undefined) {
    const place = { key: misplaced, path: attribute.name, source: 'query', param: 'populate' };
    throw new ValidationError(`Invalid key ${misplaced} at ${attribute.name}: name a type with "on"`, place);
  }
  const counted = count === undefined ? {} : { count };
  if (populate === undefined || populate === null) return Object.keys(counted).length > 0 ? counted : true;
  if (populate === '*') return { ...counted, populate };
  const chosen = (attribute.components ?? []).map((uid) => [uid, { populate }]);
  return chosen.length > 0 ? { ...counted, on: chosenOf(schema, Object.fromEntries(chosen)) } : true;
}

function chosenOf(schema: Schema, on: Record<string, unknown>): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const [uid, options] of Object.entries(on)) {
    const target = schema.types.get(uid);
    if (target) known[uid] = optionsOfChosen(schema, target, options);
  }
  return known;
}

function optionsOfChosen(schema: Schema, target: EntryType, options: unknown): unknown {
  if (typeof options === 'string') return recordedCasts.flag(options) !== false;
  if (!isPlainObject(options)) return options;
  const { count, ...fragment } = fragmentOf(schema, target, options);
  return fragment;
}

/** The options of one type. The window stands under a key that no query can name. */
function fragmentOf(
  schema: Schema,
  target: EntryType,
  options: Record<string, unknown>,
): Record<string | symbol, unknown> {
  const known: Record<string | symbol, unknown> = {};
  for (const name of keptOptions) if (options[name] !== undefined) known[name] = options[name];
  const { populate } = options;
  if (populate !== undefined) known.populate = populateOfVersion4(schema, target, populate);
  const window = windowOf(options);
  if (window) known[windowKey] = window;
  return known;
}

/** What `limit` and `start`, or `page` and `pageSize`, leave of a list. Null: all of it. */
function windowOf({ limit, start, page, pageSize }: Record<string, unknown>): Window | null {
  const isPaged = page !== undefined || pageSize !== undefined;
  if (isPaged && (limit !== undefined || start !== undefined)) {
    throw new PaginationError('Cannot use both page & offset pagination in the same query');
  }
  if (isPaged) {
    const size = wholeNumber('pageSize', pageSize ?? 10, 1);
    const from = (wholeNumber('page', page ?? 1, 1) - 1) * size;
    return { from, to: from + size };
  }
  if (limit === undefined && start === undefined) return null;
  const from = wholeNumber('start', start ?? 0, 0);
  const most = wholeNumber('limit', limit ?? -1, -1);
  return { from, to: most === -1 ? Number.MAX_SAFE_INTEGER : from + most };
}

function wholeNumber(name: string, value: unknown, least: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) >= least) return number as number;
  const place = { key: name, source: 'query', param: 'populate', value };
  throw new ValidationError(`Invalid ${name} in populate. Expected a whole number from ${least} on`, place);
}
