import { didYouMean } from '../base/suggest.ts';

/** The directives of Cache-Control in replies, and what stands behind their `=`. */
const directives = new Map<string, 'nothing' | 'seconds' | 'fields'>([
  ['public', 'nothing'],
  ['private', 'fields'],
  ['no-store', 'nothing'],
  ['no-cache', 'fields'],
  ['max-age', 'seconds'],
  ['s-maxage', 'seconds'],
  ['stale-while-revalidate', 'seconds'],
  ['stale-if-error', 'seconds'],
  ['must-revalidate', 'nothing'],
  ['proxy-revalidate', 'nothing'],
  ['must-understand', 'nothing'],
  ['no-transform', 'nothing'],
  ['immutable', 'nothing'],
]);

/** `name`, `name=token` or `name="quoted"`, up to a comma. */
const directive = /\s*([\w!#$%&'*+.^`|~-]+)(?:=("(?:[^"\\]|\\.)*"|[^\s",]*))?\s*(?:,|$)/y;

/** Returns what is wrong with a value of Cache-Control, or null. Caches ignore in silence what they do not know. */
export function cacheControlProblem(value: string): string | null {
  const given = parse(value);
  if (given === null) return 'must be directives of Cache-Control with commas between them';
  for (const [name, argument] of given) {
    const kind = directives.get(name);
    if (!kind)
      return `must hold directives of Cache-Control, and ${name} is none${didYouMean(name, directives.keys())}`;
    if (kind === 'seconds' && !/^\d+$/.test(argument ?? '')) return `must give seconds for ${name}, such as ${name}=60`;
    if (kind === 'nothing' && argument !== undefined) return `must give no value for ${name}`;
    if (argument !== undefined && argument.replaceAll('"', '') === '')
      return `must name headers for ${name}, or leave out its "="`;
  }
  const names = given.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice) return `must hold ${twice} once`;
  return names.includes('public') && names.includes('private') ? 'must hold public or private, not both' : null;
}

/** Whether no cache that others read from may keep a reply: `private` with fields keeps only these headers from it. */
export function keepsPrivate(value: string): boolean {
  return parse(value)?.some(([name, argument]) => argument === undefined && /^(private|no-store)$/.test(name)) ?? false;
}

/** Names in lower case, with what stands behind their `=`; null if the text has another form. */
function parse(value: string): [name: string, argument: string | undefined][] | null {
  const found: [string, string | undefined][] = [];
  directive.lastIndex = 0;
  while (directive.lastIndex < value.length) {
    const match = directive.exec(value);
    if (!match) return null;
    found.push([match[1].toLowerCase(), match[2]]);
  }
  return found.length === 0 ? null : found;
}
