/**
 * Finds the private attributes of a type definition by Strapi's rules: an attribute has `"private": true`, or
 * `options.privateAttributes` lists its name. Reports similar keys that have no effect, because they expose content.
 */
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean, nearestName } from '../../core/suggest.ts';
import { systemNames, type TypeDefinition } from './type-definition.ts';

const listKey = 'privateAttributes';

/** The relevant part of a type definition. `location` is its file, for messages. */
interface Definition {
  readonly location: string;
  readonly options?: { readonly privateAttributes?: readonly string[] };
}

/** Attributes that Strapi serves even if `privateAttributes` lists them. */
const neverPrivate: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Returns whether an attribute definition has `"private": true`. Reports other values and misspelled keys. */
export function isMarkedPrivate(raw: Readonly<Record<string, unknown>>, location: string, problems: Problems): boolean {
  const { private: value } = raw;
  if (value !== undefined && typeof value !== 'boolean') {
    problems.tolerate('ineffective-privacy', location, `"private" must be true or false, not ${preview(value)}`);
  }
  for (const key of Object.keys(raw)) {
    if (key === 'private' || !resemblesPrivate(key)) continue;
    problems.tolerate('ineffective-privacy', location, `unknown key ${preview(key)} (did you mean "private"?)`);
  }
  return value === true;
}

/** Returns the names in `options.privateAttributes`. `known` holds the attribute names that the list may contain. */
export function privateAttributeNames(
  definition: Definition,
  known: ReadonlySet<string>,
  problems: Problems,
): ReadonlySet<string> {
  const { location, options = {} } = definition;
  const expected = `expected in "options" as "${listKey}"`;
  reportMisspelledLists(definition, location, (key) => `${preview(key)} has no effect: ${expected}`, problems);
  const { [listKey]: names = [], ...otherOptions } = options;
  reportMisspelledLists(otherOptions, location, (key) => `options.${key} has no effect: ${expected}`, problems);
  for (const name of names) {
    const at = `${location}, attribute ${name}`;
    if (neverPrivate.has(name)) {
      problems.tolerate('ineffective-privacy', at, `"${listKey}" has no effect on this attribute: it is always public`);
    } else if (!known.has(name)) {
      const message = `"${listKey}" names an attribute that does not exist${didYouMean(name, known)}`;
      problems.tolerate('ineffective-privacy', at, message);
    }
  }
  return new Set(names);
}

/** Returns a definition whose `options.privateAttributes` also lists those `names` that are attributes of the type. */
export function withPrivateAttributes<Type extends TypeDefinition>(type: Type, names: readonly string[]): Type {
  const { component, attributes, options } = type;
  const isKnown = (name: string) => Object.hasOwn(attributes, name) || (!component && systemNames.has(name));
  const hidden = names.filter((name) => isKnown(name) && !neverPrivate.has(name));
  if (hidden.length === 0) return type;
  const privateAttributes = [...new Set([...(options?.privateAttributes ?? []), ...hidden])];
  return { ...type, options: { ...options, privateAttributes } };
}

/** Reports keys that look like `privateAttributes`, with one problem for each attribute that they list. */
function reportMisspelledLists(
  holder: object,
  location: string,
  describe: (key: string) => string,
  problems: Problems,
): void {
  for (const [key, value] of Object.entries(holder)) {
    if (!resemblesPrivate(key)) continue;
    const names = [value].flat().filter((name) => typeof name === 'string');
    if (names.length === 0) problems.tolerate('ineffective-privacy', location, describe(key));
    for (const name of names) problems.tolerate('ineffective-privacy', `${location}, attribute ${name}`, describe(key));
  }
}

/** Returns whether a key looks like `private` or `privateAttributes`. */
function resemblesPrivate(key: string): boolean {
  return /^_*privat/i.test(key) || nearestName(key.replace(/_?at+rib.*$/i, ''), ['private']) !== null;
}
