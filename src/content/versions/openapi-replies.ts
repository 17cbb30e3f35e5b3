/** The OpenAPI document of a content, as each caller may see it. */
import { LRUCache } from 'lru-cache';
import { RequestError } from '../../core/errors.ts';
import type { KnownEntry } from '../../description/openapi/examples.ts';
import { type OpenApiDocument, openApiOf } from '../../description/openapi/openapi.ts';
import { callerOf, find } from '../../engine/library-reads.ts';
import type { StoreEngine } from '../../engine/store-engine.ts';
import type { Caller, PermissionSet } from '../../model/access/permissions.ts';
import type { Settings } from '../../model/settings/config.ts';
import { cacheControl, jsonHeaders, type Reply } from '../../query/reply/reply.ts';
import type { Version } from './version.ts';

/** Number of documents that are kept. Callers with equal permissions share one. */
const maxDocuments = 4;

/** What a document is made of. */
type Described = Pick<Version, 'engine' | 'format' | 'loaded'>;

/** Number of types whose entries are examples. A query for one takes some milliseconds. */
const maxExamples = 50;

/** Returns the document for callers with these permissions. `base` is the URL in front of the prefix. */
export function openApiDocument(
  { engine, format, loaded }: Described,
  permissions: PermissionSet,
  { prefix }: Pick<Settings, 'prefix'>,
  base = '',
): OpenApiDocument {
  const publicCaller = callerOf(engine, 'public');
  const schema = engine.describe(permissions, loaded.kind === 'strapi');
  const uids = schema.types.flatMap(({ uid, route }) => (route === null ? [] : [[uid, route] as const]));
  const known = uids.slice(0, maxExamples).flatMap(([uid, route]) => {
    const entry = firstEntry(engine, route, publicCaller);
    return entry ? [[uid, entry] as const] : [];
  });
  return openApiOf(schema, {
    server: base + prefix || '/',
    isNested: format === 'nested',
    isPublic: permissions.id === publicCaller.permissions.id,
    examples: new Map(known),
  });
}

/** Returns the first entry of a route that a caller may read, or null. */
function firstEntry(engine: StoreEngine, route: string, caller: Caller): KnownEntry | null {
  try {
    const { data } = find(engine, route, { pagination: { pageSize: 1 } }, caller);
    return ((Array.isArray(data) ? data[0] : data) as KnownEntry | undefined) ?? null;
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}

/** Answers `/_openapi.json`. Keeps documents until the content changes. */
export class OpenApiReplies {
  readonly #settings: Settings;
  readonly #bodies = new LRUCache<string, Buffer>({ max: maxDocuments });
  #engine: StoreEngine | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Answers a caller below the URL `base`. */
  answer(described: Described, { permissions, role }: Caller, base: string): Reply {
    const { engine } = described;
    if (this.#engine !== engine) this.#bodies.clear();
    this.#engine = engine;
    const key = `${permissions.id} ${base}`;
    const body = this.#bodies.get(key) ?? this.#write(described, permissions, base);
    this.#bodies.set(key, body);
    const caching = cacheControl(this.#settings.cacheControl, role, '');
    const headers = { ...jsonHeaders, ...engine.headers.with({ 'Cache-Control': caching }) };
    return { status: 200, headers, body };
  }

  #write(described: Described, permissions: PermissionSet, base: string): Buffer {
    return Buffer.from(JSON.stringify(openApiDocument(described, permissions, this.#settings, base)));
  }
}
