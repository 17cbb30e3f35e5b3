/**
 * Which attributes a type definition hides, by Strapi's rule: `private` has to be true, and only
 * `options.privateAttributes` lists names. Whatever looks like it and hides nothing is noted, as it lays content open.
 */
import { type Problems, preview } from '../base/problems.ts';
import { didYouMean, nearestName } from '../base/suggest.ts';

const listKey = 'privateAttributes';

/** The part of a type definition that is read here. `place` is the file that it stands in, for messages. */
interface Definition {
  readonly place: string;
  readonly options?: { readonly privateAttributes?: readonly string[] };
}

/** What Strapi serves whatever `privateAttributes` says. */
const neverPrivate: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Whether an attribute says of itself that it is private. */
export function isMarkedPrivate(raw: Readonly<Record<string, unknown>>, place: string, problems: Problems): boolean {
  const { private: mark } = raw;
  if (mark !== undefined && typeof mark !== 'boolean') {
    problems.tolerate('ineffective-privacy', place, `"private" must be true or false, not ${preview(mark)}`);
  }
  for (const key of Object.keys(raw)) {
    if (key === 'private' || !resemblesPrivate(key)) continue;
    problems.tolerate('ineffective-privacy', place, `unknown key ${preview(key)} (did you mean "private"?)`);
  }
  return mark === true;
}

/**
 * Returns the names in `options.privateAttributes`. `known` are the names of attributes that can be listed there.
 */
export function listedAsPrivate(
  definition: Definition,
  known: ReadonlySet<string>,
  problems: Problems,
): ReadonlySet<string> {
  const { place, options = {} } = definition;
  const expected = `expected in "options" as "${listKey}"`;
  noteMistypedLists(definition, place, (key) => `${preview(key)} has no effect: ${expected}`, problems);
  const { [listKey]: names = [], ...otherOptions } = options;
  noteMistypedLists(otherOptions, place, (key) => `options.${key} has no effect: ${expected}`, problems);
  for (const name of names) {
    const at = `${place}, attribute ${name}`;
    if (neverPrivate.has(name)) {
      problems.tolerate('ineffective-privacy', at, `is in "${listKey}", but every entry or component shows it`);
    } else if (!known.has(name)) {
      const what = `"${listKey}" names an attribute that does not exist${didYouMean(name, known)}`;
      problems.tolerate('ineffective-privacy', at, what);
    }
  }
  return new Set(names);
}

/** Notes the keys of an object that look like `privateAttributes`, each of their names as a problem of its own. */
function noteMistypedLists(holder: object, place: string, say: (key: string) => string, problems: Problems): void {
  for (const [key, value] of Object.entries(holder)) {
    if (!resemblesPrivate(key)) continue;
    const names = [value].flat().filter((name) => typeof name === 'string');
    if (names.length === 0) problems.tolerate('ineffective-privacy', place, say(key));
    for (const name of names) problems.tolerate('ineffective-privacy', `${place}, attribute ${name}`, say(key));
  }
}

/** Whether a key looks like `private` or `privateAttributes`. */
function resemblesPrivate(key: string): boolean {
  return /^_*privat/i.test(key) || nearestName(key.replace(/_?at+rib.*$/i, ''), ['private']) !== null;
}
