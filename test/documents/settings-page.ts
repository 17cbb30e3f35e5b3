import { z } from 'zod';
import { configSchema } from '../../src/model/settings/config.ts';
import { serverFields } from '../../src/model/settings/server.ts';

/** The pages that say more about a setting or a group of settings. */
const pages: Record<string, string> = {
  dialect: 'configuration.md#dialects',
  tokens: 'users.md#api-tokens',
  roles: 'configuration.md#access',
  features: 'features.md',
  drafts: 'queries.md#drafts-in-place-of-published-entries',
  users: 'users.md#content-without-users',
  jwtSecret: 'users.md#users-jwts',
  budgets: 'queries.md#errors',
  cacheBytes: 'memory.md#where-it-goes',
  earlierBytes: 'live-content.md#pin-a-version',
  tolerance: 'tolerance.md',
  mediaUrl: 'media.md',
  uploadsOrigins: 'media.md#addresses-in-texts',
  uploads: 'media.md',
  cacheDir: 'fresh-content.md#when-the-source-is-away',
  uploadsMaxAge: 'media.md#headers',
  responseFormat: 'strapi-4.md',
  cacheControl: 'http.md#caching-headers',
  cacheTags: 'live-content.md#tags',
  compression: 'http.md#compression',
  explain: 'http.md#how-a-query-is-answered',
  explorer: 'explorer.md',
  facets: 'queries.md#facets',
  openapi: 'openapi.md',
  routes: 'extending.md#the-setting-routes',
  extend: 'extending.md',
  adminPort: 'http.md#health',
  admin: 'new-content.md#tokens-for-the-admin-port',
  contents: 'contents.md',
  follow: 'fresh-content.md',
  images: 'replicas.md',
  threads: 'deployment.md#all-processors',
  journal: 'live-content.md#journal',
  journalBytes: 'live-content.md#a-large-journal',
  webhook: 'live-content.md#webhook',
  watch: 'new-content.md#without-a-restart',
  upstream: 'upstream.md',
  securityHeaders: 'http.md#other-headers',
  rateLimit: 'memory.md#many-addresses-and-the-rate-limit',
  queue: 'http.md#overload',
  log: 'deployment.md#log',
};

type Schema = z.core.JSONSchema.BaseSchema;

/** A row of a table. */
interface Row {
  readonly path: string;
  readonly schema: Schema;
}

/** Returns docs/settings.md, which lists the settings of the schema in its order. */
export function settingsPage(): string {
  const { properties } = z.toJSONSchema(configSchema, { io: 'input' });
  const rows = Object.entries(properties as Record<string, Schema>)
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, schema]) => rowsOf(name, schema));
  const isOfServer = ({ path }: Row) => path.split('.')[0] in serverFields;
  return `# Settings

This page lists every setting with its default. A test writes it from the schema of the settings. [configuration.md](configuration.md) shows where settings come from and which flags set them.

## Of content

The server and \`open()\` of the [library](library.md) take these.

${tableOf(rows.filter((row) => !isOfServer(row)))}

## Of the server

Only \`lectern serve\` takes these. Times are in milliseconds unless a row says otherwise.

${tableOf(rows.filter(isOfServer))}
`;
}

function rowsOf(path: string, schema: Schema): Row[] {
  const { properties } = schema;
  if (!properties) return [{ path, schema }];
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, inner]) =>
    rowsOf(`${path}.${name}`, inner),
  );
}

function tableOf(rows: readonly Row[]): string {
  const linked = new Set<string>();
  const lines = rows.map(({ path, schema }) => {
    const [group] = path.split('.');
    const page = linked.has(group) ? undefined : pages[group];
    linked.add(group);
    const [meaning, derived] = (schema.description ?? '').split(/\.? Default: /);
    const cells = [`\`${path}\``, defaultOf(schema, derived), page ? `${meaning}. [More](${page})` : meaning];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| setting | default | meaning |', '|---|---|---|', ...lines].join('\n');
}

/** `derived` is the default in words, if it depends on something. */
function defaultOf({ default: value }: Schema, derived: string | undefined): string {
  if (derived !== undefined) return derived;
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (value === undefined || isEmpty) return 'none';
  return typeof value === 'number' ? grouped(value) : `\`${[value].flat().join()}\``;
}

function grouped(value: number): string {
  return value < 10_000 ? String(value) : value.toLocaleString('en-US');
}
