import type { ServerResponse } from 'node:http';

/** Returns the value of a header in place of an earlier one. Null leaves the header out. */
type HeaderRule = readonly [name: string, value: (earlier: string | undefined) => string | null];

/** By the names of headers in lower case. */
type HeaderRules = ReadonlyMap<string, HeaderRule>;

/** What decides whether the cookie of a browser counts, and whether it gets a page. */
const browserHeaders = 'Accept, Cookie, Origin, Sec-Fetch-Dest, Sec-Fetch-Mode, Sec-Fetch-Site';

/**
 * Returns the rules for the headers of a preview's replies, which forbid caching and indexing. `isLocked`: readers need a
 * token or the cookie. `frameAncestors` are the origins whose pages may show the preview in a frame.
 */
export function previewHeaders(isLocked: boolean, frameAncestors: readonly string[]): HeaderRules {
  const rules: HeaderRule[] = [
    ['Cache-Control', () => 'private, no-store'],
    ['X-Robots-Tag', () => 'noindex'],
  ];
  if (isLocked) rules.push(['Vary', (earlier) => [earlier, browserHeaders].filter(Boolean).join(', ')]);
  if (frameAncestors.length > 0) {
    const directive = `frame-ancestors ${frameAncestors.join(' ')}`;
    rules.push(
      ['Content-Security-Policy', (earlier) => withDirective(earlier, directive)],
      ['X-Frame-Options', () => null],
    );
  }
  return new Map(rules.map((rule) => [rule[0].toLowerCase(), rule]));
}

function withDirective(policy: string | undefined, directive: string): string {
  const others = policy?.split(';').filter((each) => !/^\s*frame-ancestors(\s|$)/i.test(each)) ?? [];
  return [...others, ` ${directive}`].join(';').trim();
}

/** Sends headers as `writeHead` of Node does: an object, or a list of names and values. */
type GivenHeaders = Record<string, unknown> | readonly string[] | undefined;

/** Applies rules to the headers of a reply, whether it is content, an error, a file, a redirect or a 304. */
export function changeHeaders(response: ServerResponse, rules: HeaderRules): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: GivenHeaders) => ServerResponse;
  response.writeHead = ((status: number, second?: string | GivenHeaders, third?: GivenHeaders) => {
    if (typeof second === 'string') response.statusMessage = second;
    const { ruled, others } = divide(typeof second === 'string' ? third : second, rules);
    for (const [key, [name, change]] of rules) {
      const earlier = ruled.get(key) ?? response.getHeader(name);
      const value = change(earlier === undefined ? undefined : String(earlier));
      if (value === null) response.removeHeader(name);
      else response.setHeader(name, value);
    }
    return writeHead(status, others);
  }) as typeof response.writeHead;
}

/** Divides headers into the values of those with a rule, by their names in lower case, and the others. */
function divide(headers: GivenHeaders, rules: HeaderRules): { ruled: Map<string, unknown>; others: GivenHeaders } {
  const ruled = new Map<string, unknown>();
  const isOther = (name: string, value: unknown) => {
    const key = name.toLowerCase();
    if (rules.has(key)) ruled.set(key, value);
    return !rules.has(key);
  };
  if (headers === undefined) return { ruled, others: undefined };
  if (!Array.isArray(headers)) {
    return {
      ruled,
      others: Object.fromEntries(Object.entries(headers).filter(([name, value]) => isOther(name, value))),
    };
  }
  const pairs = Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i], headers[2 * i + 1]]);
  return { ruled, others: pairs.filter(([name, value]) => isOther(String(name), value)).flat() };
}
