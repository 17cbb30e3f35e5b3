import type { RequestHandler } from 'express';
import { exampleQueries, exampleUrl, type ListedType, listedTypes, type ReadableContent } from './examples.ts';
import type { ExplorerContent } from './explorer.ts';
import { escapeHtml, htmlPage, setPageHeaders } from './html.ts';

/** Returns how fresh the content is, or null if it follows nothing. */
export type ReadFreshness = () => HomeFreshness | null | Promise<HomeFreshness | null>;

/** The interface of content that the home page uses. The page shows only what a caller without a token may read. */
export interface HomeContent extends ReadableContent, ExplorerContent {
  readonly prefix: string;
  readonly summary: { readonly dialect: string; readonly strapiVersion: string | null };
}

/**
 * Creates the handler of `/`. Renders the page once per snapshot and base URL, such as that of one of several contents. A
 * page that says how fresh the content is is rendered at each request.
 */
export function createHomePage(content: HomeContent, freshness: ReadFreshness = () => null): RequestHandler {
  let rendered: object | undefined;
  const pages = new Map<string, Buffer>();
  return async ({ baseUrl: base }, response) => {
    const fresh = await freshness();
    setPageHeaders(response);
    const { summary } = content;
    if (rendered !== summary) pages.clear();
    rendered = summary;
    const page = pages.get(base) ?? Buffer.from(render(content, base, fresh));
    if (fresh) response.setHeader('Cache-Control', 'no-store');
    else pages.set(base, page);
    response.setHeader('Content-Length', page.length);
    response.end(page);
  };
}

/** Renders the content types, example queries and the differences between the dialects. */
function render(content: HomeContent, base: string, fresh: HomeFreshness | null): string {
  const prefix = base + content.prefix;
  const types = listedTypes(content);
  return htmlPage(
    'Lectern',
    `<h1>Lectern</h1>
<p>This server answers the read requests of a Strapi REST API from memory, in the
<a href="#dialect">${escapeHtml(content.summary.dialect)} dialect</a>. ${sourceOf(content)}Every reply is JSON.</p>
${content.explorer ? explorerLink(base) : ''}${fresh ? `<p class="quiet">${escapeHtml(freshnessText(fresh, Date.now()))}</p>\n` : ''}${types.length === 0 ? nothingPublic : typeTable(content, types, prefix) + exampleList(content, types, prefix)}
${dialectSection(content.summary.dialect)}
<p class="quiet">With <code>Authorization: Bearer …</code> an API token or a user’s JWT may read more than this page shows.</p>`,
  );
}

/** Returns a sentence about the source if the content was exported from Strapi 4. */
function sourceOf({ summary: { strapiVersion } }: HomeContent): string {
  return strapiVersion?.startsWith('4') ? `The content was exported from Strapi ${escapeHtml(strapiVersion)}.\n` : '';
}

function explorerLink(base: string): string {
  return `<p>Look around in the <a href="${escapeHtml(base)}/_explorer">explorer</a>, which builds a query as you click and shows its URL.</p>\n`;
}

const nothingPublic = `<p>Nothing is readable without a token: the role <code>public</code> has no permission to find.
For development, <code>lectern serve --public</code> opens every content type.</p>
`;

function typeTable(content: HomeContent, types: readonly ListedType[], prefix: string): string {
  const rows = types.map((type) => {
    const url = escapeHtml(exampleUrl(prefix, { route: type.route, query: {} }));
    const count = publicCount(content, type)?.toLocaleString('en-US') ?? 'single';
    return `<tr><th scope="row"><a href="${url}"><code>${url}</code></a></th><td class="number">${count}</td></tr>`;
  });
  return `<h2 id="types">What is served</h2>
<table aria-labelledby="types">
<thead><tr><th scope="col">Content type</th><th scope="col" class="number">Entries</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
`;
}

function exampleList(content: HomeContent, types: ListedType[], prefix: string): string {
  const items = exampleQueries(content, types).map((example) => {
    const url = escapeHtml(exampleUrl(prefix, example));
    return `<li>${escapeHtml(example.title)}\n<a href="${url}"><code>${url}</code></a></li>`;
  });
  return `<h2>Queries to try</h2>\n<ol>\n${items.join('\n')}\n</ol>\n`;
}

/** Renders the differences between the dialects, with the active one in bold. */
function dialectSection(active: string): string {
  const name = (dialect: string) => (dialect === active ? `<strong>${dialect}</strong>` : dialect);
  const rows = dialectDifferences.map(
    ({ point, document, strapi }) =>
      `<tr><th scope="row">${withCode(point)}</th><td>${withCode(document)}</td><td>${withCode(strapi)}</td></tr>`,
  );
  return `<h2 id="dialect">Dialects</h2>
<p>There are two dialects, and <code>--dialect</code> chooses one. <code>document</code> follows the written specification;
<code>strapi</code> answers as a recorded Strapi does. They differ in these points:</p>
<table aria-labelledby="dialect">
<thead><tr><th scope="col">Point</th><th scope="col">${name('document')}</th><th scope="col">${name('strapi')}</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

/** Escapes a text and renders its parts in backticks as code. */
function withCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Returns the number of entries that a caller without a token can list, or null for a single type. */
function publicCount(content: HomeContent, { route, kind }: ListedType): number | null {
  if (kind === 'singleType') return null;
  const { meta } = content.find(route, { fields: 'id', pagination: { pageSize: 1 } }, { role: 'public' });
  return (meta as { pagination?: { total?: number } }).pagination?.total ?? null;
}

/** The differences between the dialects, as shown on the home page. A test compares docs/configuration.md with it. */
export const dialectDifferences: readonly { point: string; document: string; strapi: string }[] = [
  { point: 'to-many relation populated with `filters`', document: '`{"data": […]}`', strapi: 'plain list' },
  { point: 'filter on a media field', document: '400', strapi: "filters by the file's attributes" },
  { point: '`/api/users`', document: 'in the `{data, meta}` envelope', strapi: 'plain list' },
  { point: '`status=draft`', document: 'needs the permission `draft`, otherwise 403', strapi: 'open to every caller' },
  {
    point: '`$not` around a to-many relation',
    document: 'no related entry matches',
    strapi: 'some related entry does not match',
  },
  {
    point: 'filters and sorts through relations, polymorphic relations',
    document: 'only entries with the requested status',
    strapi: 'drafts and published entries',
  },
  { point: 'unknown parameter, invalid `pagination`', document: '400', strapi: 'ignored' },
  { point: 'unknown `status`', document: '400', strapi: 'returns drafts' },
  { point: 'unknown `locale`', document: '400', strapi: 'finds nothing' },
  {
    point: 'booleans other than `true`, `false`, `1`, `0`, `t`, `f`',
    document: '400, except in upper case',
    strapi: 'true',
  },
  { point: '`populate[x]=*`', document: 'populates everything in x', strapi: '400' },
  { point: 'error messages', document: 'name the location, the value and what was expected', strapi: 'as recorded' },
  {
    point: 'populated relations that the caller may not read',
    document: 'left out, and named in `X-Lectern-Omitted`',
    strapi: 'left out',
  },
  { point: 'other quirks of the recorded Strapi', document: 'no', strapi: 'yes' },
];

/** How fresh the content is that the home page shows. Times are in milliseconds since 1970. */
export interface HomeFreshness {
  /** What the content comes from. */
  readonly source: string;
  /** When it was last read, or found to be unchanged; null if it was not yet. */
  readonly readAt: number | null;
  /** Why it could not be read the last time, and when. Null after a success. */
  readonly error: { readonly message: string; readonly at: number } | null;
}

/** Returns sentences such as "Content from a Strapi, as of 3 seconds ago." */
export function freshnessText({ source, readAt, error }: HomeFreshness, now: number): string {
  const age = readAt === null ? '' : `, as of ${ago(now - readAt)}`;
  const failure = error ? ` The last attempt to read it was ${ago(now - error.at)}: ${error.message}.` : '';
  return `Content from ${source}${age}.${failure}`;
}

const units = [
  { name: 'day', milliseconds: 86_400_000 },
  { name: 'hour', milliseconds: 3_600_000 },
  { name: 'minute', milliseconds: 60_000 },
  { name: 'second', milliseconds: 1000 },
];

/** Returns a time in the past in its largest unit: `3 minutes ago`. */
function ago(milliseconds: number): string {
  const unit = units.find((each) => milliseconds >= each.milliseconds);
  if (!unit) return 'less than a second ago';
  const count = Math.floor(milliseconds / unit.milliseconds);
  return `${count} ${unit.name}${count === 1 ? '' : 's'} ago`;
}
