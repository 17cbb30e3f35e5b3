import { errorOf } from './content-error.ts';
import type { Query } from './query.ts';
import { stringifyQuery } from './query-string.ts';
import type { ListMeta, ListName, Reads, TypeAt } from './reads.ts';

export interface ClientOptions {
  /** The address of Lectern or a Strapi, with the prefix of the API: `https://cms.example.org/api`. */
  readonly url: string;
  /** An API token or the JWT of a user. */
  readonly token?: string;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How many replies are kept, so that unchanged ones are not sent again: 100, and 0 in browsers and other runtimes whose
   * `fetch` has a cache.
   */
  readonly keeps?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

/** A media file, or a size of one. */
export interface MediaFile {
  readonly url?: string | null;
  readonly formats?: unknown;
}

/** Reads content over HTTP. Its methods reject with a ContentError for a reply that is no content. */
export interface Client<Schema> extends Reads<Schema, RequestOptions, 'later'> {
  /** Counts the entries of a collection. */
  count<Name extends ListName<Schema>, Status extends TypeAt<Schema, Name>['status'] | undefined = undefined>(
    name: Name,
    query?: Pick<
      Query<TypeAt<Schema, Name>, unknown, unknown, unknown, Status>,
      'filters' | 'status' | 'locale' | '_q'
    >,
    options?: RequestOptions,
  ): Promise<number>;

  /** Returns the address of a media file, or of one of its `formats`. Null if there is none. */
  mediaUrl(file: MediaFile | null | undefined, format?: string): string | null;
}

/** A reply that the server is asked about instead of being asked for. */
interface KeptReply {
  readonly etag: string;
  readonly text: string;
}

/** Whether `fetch` revalidates replies itself: in pages and workers. */
const hasCache = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

export function createClient<Schema>(options: ClientOptions): Client<Schema> {
  const { token, headers = {}, keeps = hasCache ? 0 : 100, fetch: ask = globalThis.fetch } = options;
  const base = new URL(options.url.replace(/\/*$/, '/'));
  const common = { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  const kept = new Map<string, KeptReply>();

  const read = async (
    path: readonly (string | number)[],
    query: object,
    { signal }: RequestOptions,
  ): Promise<unknown> => {
    const text = stringifyQuery(query);
    const url = new URL(path.map(encodeURIComponent).join('/') + (text && `?${text}`), base).href;
    const known = kept.get(url);
    const response = await ask(url, {
      // `fetch` adds `no-cache` to conditional requests that say nothing else, and servers answer those in full
      headers: { ...common, ...(known && { 'If-None-Match': known.etag, 'Cache-Control': 'max-age=0' }) },
      ...(signal && { signal }),
    });
    if (response.status === 304 && known) return JSON.parse(keep(url, known).text);
    const body = await response.text();
    if (!response.ok) throw errorOf(url, response.status, body);
    const etag = response.headers.get('ETag');
    if (etag !== null && keeps > 0) keep(url, { etag, text: body });
    return parse(url, response.status, body);
  };

  /** Keeps a reply as the latest, and drops the one that was used the longest time ago. */
  const keep = (url: string, reply: KeptReply): KeptReply => {
    kept.delete(url);
    kept.set(url, reply);
    if (kept.size > keeps) kept.delete(kept.keys().next().value!);
    return reply;
  };

  const client = {
    async find(name: string, query: object = {}, request: RequestOptions = {}) {
      return inEnvelope(await read(name.split('/'), query, request));
    },
    async findOne(name: string, documentId: string | number, query: object = {}, request: RequestOptions = {}) {
      return inEnvelope(await read([...name.split('/'), documentId], query, request));
    },
    async count(name: string, query: object = {}, request: RequestOptions = {}) {
      // the list of users has no total in Strapi
      if (name === 'users') return Number(await read(['users', 'count'], query, request));
      const path = name.split('/');
      const ids = { ...query, fields: ['id'] };
      const { meta } = inEnvelope(await read(path, { ...ids, pagination: { page: 1, pageSize: 1 } }, request));
      const { total } = (meta as ListMeta).pagination ?? {};
      // a list without pages holds all entries
      return total ?? (inEnvelope(await read(path, ids, request)).data as unknown[]).length;
    },
    mediaUrl(file: MediaFile | null | undefined, format?: string) {
      const formats = (file?.formats ?? {}) as Record<string, MediaFile | undefined>;
      const address = (format === undefined ? file : formats[format])?.url;
      return address ? new URL(address, base).href : null;
    },
  };
  return client as unknown as Client<Schema>;
}

function parse(url: string, status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errorOf(url, status, text);
  }
}

/** Users, files and roles have no envelope in Strapi. */
function inEnvelope(body: unknown): { data: unknown; meta: object } {
  const isEnveloped = typeof body === 'object' && body !== null && 'data' in body && 'meta' in body;
  return isEnveloped ? (body as unknown as { data: unknown; meta: object }) : { data: body, meta: {} };
}
