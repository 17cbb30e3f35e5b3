import { z } from 'zod';
import { didYouMean } from '../../core/suggest.ts';

/** Settings of replies over HTTP, from the server or a mounted router. */

const cacheRule = z
  .strictObject({
    role: z
      .string()
      .min(1)
      .default('public')
      .describe("Type of the caller's role: `public` without credentials, `token` for any API token"),
    type: z
      .string()
      .min(1)
      .optional()
      .describe('uid of the requested content type, such as api::article.article. Default: every type'),
    value: z
      .string()
      .regex(/^[\x20-\x7e]+$/, { error: 'must be a header value in printable ASCII', abort: true })
      .describe('The header value, such as public, max-age=60'),
  })
  .superRefine(({ role, value }, context) => {
    const problem = cacheControlProblem(value);
    if (problem !== null) return context.addIssue({ code: 'custom', path: ['value'], message: problem });
    if (role === 'public' || forbidsSharedCaching(value)) return;
    const message = `must include private or no-store, because the role ${role} requires credentials`;
    context.addIssue({ code: 'custom', path: ['value'], message });
  });

const responseFormats = ['v4', 'v5'] as const;

export const replyFields = {
  responseFormat: z
    .enum(responseFormats)
    .optional()
    .describe(
      'Reply format of requests without a Strapi-Response-Format header: fields in attributes and relations in data (v4), or flat (v5). Default: v4 for exports of Strapi 4, v5 for all others',
    ),
  cacheControl: z
    .array(cacheRule)
    .default([])
    .describe(
      'Cache-Control of replies, from the first rule that matches the role and the content type. Without one, it is public for callers without credentials and private for all others, with max-age=0, must-revalidate',
    ),
  cacheTags: z
    .union([z.boolean(), z.number().int().min(1).max(128)])
    .default(false)
    .describe(
      'Send Cache-Tag and Surrogate-Key, which name what a reply depends on, for CDNs. A number is the maximum number of tags; true stands for 127',
    ),
  explain: z
    .boolean()
    .default(true)
    .describe(
      'Say at /_explain how a URL is answered: its plan for tokens with full access, the time of each stage for others',
    ),
  explorer: z
    .boolean()
    .default(true)
    .describe(
      'Serve the explorer at /_explorer, a page that builds queries, with the schema that it reads at /_schema.json',
    ),
  facets: z
    .boolean()
    .default(true)
    .describe('Count the values of attributes beside a list, as its parameter facets asks'),
  openapi: z
    .boolean()
    .default(true)
    .describe('Serve the OpenAPI document of the content at /_openapi.json, as each caller may see it'),
  compression: z
    .boolean()
    .default(true)
    .describe('Compress replies of 1 KiB or more with brotli, zstd or gzip if the client accepts it'),
};

/** The query parameters that are added by route, and the module with query hooks and custom routes. */

const parameters = z
  .union([z.record(z.string(), z.unknown()), z.string()], 'must be an object of parameters or a query string')
  .describe('An object of parameters, each a text or an object as in the library, or a query string');

const routeQuery = z.strictObject({
  default: parameters.optional().describe('Parameters that are added if the request lacks them'),
  set: parameters.optional().describe('Parameters that replace those of the request; null removes one'),
});

export const routeFields = {
  routes: z
    .record(
      z.string().describe('uid of a content type, such as api::article.article'),
      z.record(z.string().describe('Action of the route: find or findOne; for users also me and count'), routeQuery),
    )
    .default({})
    .describe('Query parameters that are added to HTTP requests, by content type and action'),
  extend: z.string().min(1).optional().describe('Module with query hooks and custom routes (.js, .mjs, .ts)'),
};

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
