import { didYouMean } from '../../core/suggest.ts';

/** Response directives of Cache-Control, with the kind of their argument. */
const directives = new Map<string, 'none' | 'seconds' | 'headers'>([
  ['public', 'none'],
  ['private', 'headers'],
  ['no-store', 'none'],
  ['no-cache', 'headers'],
  ['max-age', 'seconds'],
  ['s-maxage', 'seconds'],
  ['stale-while-revalidate', 'seconds'],
  ['stale-if-error', 'seconds'],
  ['must-revalidate', 'none'],
  ['proxy-revalidate', 'none'],
  ['must-understand', 'none'],
  ['no-transform', 'none'],
  ['immutable', 'none'],
]);

/** `name`, `name=token` or `name="quoted"`, up to a comma. */
const directive = /\s*([\w!#$%&'*+.^`|~-]+)(?:=("(?:[^"\\]|\\.)*"|[^\s",]*))?\s*(?:,|$)/y;

/** Returns what is wrong with a Cache-Control value, or null. Caches silently ignore unknown directives. */
export function cacheControlProblem(value: string): string | null {
  const parsed = parse(value);
  if (parsed === null) return 'must be a comma-separated list of directives';
  for (const [name, argument] of parsed) {
    const kind = directives.get(name);
    if (!kind) return `must not contain the unknown directive ${name}${didYouMean(name, directives.keys())}`;
    if (kind === 'seconds' && !/^\d+$/.test(argument ?? '')) {
      return `must have seconds after ${name}, such as ${name}=60`;
    }
    if (kind === 'none' && argument !== undefined) return `must have no value after ${name}`;
    if (argument !== undefined && argument.replaceAll('"', '') === '')
      return `must have header names after "${name}=", or no "="`;
  }
  const names = parsed.map(([name]) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate) return `must contain ${duplicate} only once`;
  return names.includes('public') && names.includes('private') ? 'must not contain both public and private' : null;
}

/** Whether a value keeps the whole reply out of shared caches. `private` with header names only covers these. */
export function forbidsSharedCaching(value: string): boolean {
  return parse(value)?.some(([name, argument]) => argument === undefined && /^(private|no-store)$/.test(name)) ?? false;
}

/** Returns directive names in lower case with their arguments, or null if the value is malformed. */
function parse(value: string): [name: string, argument: string | undefined][] | null {
  const parsed: [string, string | undefined][] = [];
  directive.lastIndex = 0;
  while (directive.lastIndex < value.length) {
    const match = directive.exec(value);
    if (!match) return null;
    parsed.push([match[1].toLowerCase(), match[2]]);
  }
  return parsed.length === 0 ? null : parsed;
}
