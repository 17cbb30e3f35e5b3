/**
 * `populate` of Strapi 4, rewritten to the form of Strapi 5. Strapi 4 ignores names and options that do not exist,
 * reads a text in place of options as a switch, applies options of a dynamic zone to each of its components, and can
 * serve parts of lists.
 */
import { ValidationError } from '../../core/errors.ts';
import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
} from '../../model/schema/schema.ts';
import type { BindingContext } from '../bind/context.ts';
import { windowOf } from '../bind/populate/populate-window.ts';
import { type PopulatePlace, typePlace } from '../syntax/location.ts';
import {
  type OptionsNode,
  optionsNode,
  type PathItem,
  type PathsNode,
  type PopulateEntry,
  type PopulateNode,
  type PopulateOptions,
  parsePopulate,
} from '../syntax/populate-nodes.ts';
import { strapiCasts } from './casts.ts';

type RewriteContext = Pick<BindingContext, 'schema' | 'features'>;

const knownOptions: ReadonlySet<string> = new Set(['sort', 'filters', 'fields', 'count', 'populate']);

/** Returns `populate` in the form of Strapi 5. What is a mistake in Strapi 4 too stays as it is. */
export function rewriteForStrapi4(
  context: RewriteContext,
  type: EntryType,
  node: PopulateNode | null,
): PopulateNode | null {
  if (node === null) return null;
  switch (node.kind) {
    case 'star':
      return node;
    case 'paths':
      return node.items === null ? node : rewritePaths(context, type, node, node.items);
    case 'tree': {
      const entries = node.entries.flatMap((entry): PopulateEntry[] => {
        if (entry.key === '*' && context.features.has('deepPopulate')) return [entry];
        const attribute = linkNamed(type, entry.key);
        return attribute ? [{ ...entry, value: rewriteOptions(context, attribute, entry) }] : [];
      });
      return { ...node, entries };
    }
    default:
      return node satisfies never;
  }
}

function linkNamed(type: EntryType, name: string): LinkAttribute | null {
  const attribute = type.attributes.get(name);
  return attribute && !isScalar(attribute) && !attribute.private ? attribute : null;
}

/** Cuts each path before the first name that leads nowhere. Null if none is left. */
function rewritePaths(
  context: RewriteContext,
  type: EntryType,
  { place }: PathsNode,
  items: readonly PathItem[],
): PopulateNode | null {
  const paths = items
    .filter(({ text }) => !isStar(context, text))
    .flatMap(({ text }) => text.split(','))
    // unlike in `PathItem.paths`, an empty name ends its path
    .map((text) => text.split('.').map((name) => name.trim()))
    .map((names) => names.slice(0, knownLength(context, [type], names)).join('.'))
    .filter((path) => path !== '');
  const stars = items.filter(({ text }) => isStar(context, text)).map(({ text }) => text);
  const kept = [...stars, ...new Set(paths)];
  return kept.length > 0 ? parsePopulate(kept, place) : null;
}

/** Returns whether an item stands for everything beside what is named. */
function isStar({ features }: RewriteContext, text: string): boolean {
  return text === '*' && features.has('deepPopulate');
}

/** Returns how many names can be followed, one below the other, from at least one of the types. */
function knownLength(context: RewriteContext, types: readonly EntryType[], names: readonly string[]): number {
  let current = types;
  for (let i = 0; i < names.length; i++) {
    const attributes = current.flatMap((type) => linkNamed(type, names[i]) ?? []);
    if (attributes.length === 0) return i;
    const targets = new Set(attributes.flatMap((attribute) => targetsOf(context, attribute)));
    if (targets.size === 0) return i + 1;
    current = [...targets];
  }
  return names.length;
}

/** Returns the types that a path may lead on to. */
function targetsOf(context: RewriteContext, attribute: LinkAttribute): EntryType[] {
  const uids = isPolymorphic(attribute) ? (attribute.components ?? []) : [attribute.target];
  return uids.flatMap((uid) => context.schema.types.get(uid) ?? []);
}

function rewriteOptions(
  context: RewriteContext,
  attribute: LinkAttribute,
  { value, place }: PopulateEntry,
): OptionsNode {
  if (value.kind === 'value') return rewriteSwitch(value);
  if (isPolymorphic(attribute)) return rewritePolymorphic(context, attribute, value, place);
  const target = context.schema.types.get(attribute.target);
  return target ? rewriteFragment(context, target, value, place) : value;
}

function rewriteSwitch(value: OptionsNode): OptionsNode {
  return typeof value.raw === 'string' ? { kind: 'value', raw: strapiCasts.flag(value.raw) !== false } : value;
}

function rewritePolymorphic(
  context: RewriteContext,
  attribute: PolymorphicAttribute,
  options: PopulateOptions,
  place: PopulatePlace,
): OptionsNode {
  const { count, raw } = options;
  const { populate } = raw;
  if (options.on?.entries) return withTypes(context, {}, options.on.entries, place);
  const misplaced = options.keys.find((key) => key === 'filters' || key === 'sort' || key === 'fields');
  if (misplaced !== undefined) {
    const details = { key: misplaced, path: attribute.name, source: 'query', param: 'populate' };
    throw new ValidationError(`Invalid key ${misplaced} at ${attribute.name}: name a type with "on"`, details);
  }
  const counted = count === undefined ? {} : { count };
  if (populate === undefined || populate === null) {
    return count === undefined ? { kind: 'value', raw: true } : optionsNode(counted, place);
  }
  if (populate === '*') return optionsNode({ ...counted, populate }, place);
  const components = attribute.components ?? [];
  if (components.length === 0) return { kind: 'value', raw: true };
  const entries = components.map((uid): PopulateEntry => {
    const chosen = typePlace(place, uid);
    return { key: uid, place: chosen, value: optionsNode({ populate }, chosen) };
  });
  return withTypes(context, counted, entries, place);
}

/** Returns options with `on`. Types that do not exist are left out. */
function withTypes(
  context: RewriteContext,
  others: Readonly<Record<string, unknown>>,
  entries: readonly PopulateEntry[],
  place: PopulatePlace,
): PopulateOptions {
  const known = entries.flatMap((entry): PopulateEntry[] => {
    const target = context.schema.types.get(entry.key);
    return target ? [{ ...entry, value: rewriteChosen(context, target, entry) }] : [];
  });
  return { ...optionsNode({ ...others, on: {} }, place), on: { entries: known, raw: {} } };
}

function rewriteChosen(context: RewriteContext, target: EntryType, { value, place }: PopulateEntry): OptionsNode {
  if (value.kind === 'value') return rewriteSwitch(value);
  const options = rewriteFragment(context, target, value, place);
  return { ...options, keys: options.keys.filter((key) => key !== 'count'), count: undefined };
}

/** Rewrites the options of one type. Only known options stay. */
function rewriteFragment(
  context: RewriteContext,
  target: EntryType,
  options: PopulateOptions,
  place: PopulatePlace,
): PopulateOptions {
  const keys = options.keys.filter((key) => knownOptions.has(key));
  const populate = rewriteForStrapi4(context, target, options.populate);
  return { ...options, keys, populate, on: null, window: windowOf(options.raw, place) };
}
