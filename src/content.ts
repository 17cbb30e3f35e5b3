import { type AccessUser, Authenticator, type Caller, tokenRole } from './access/authenticate.ts';
import { allPermissions } from './access/permissions.ts';
import { withPublicAccess } from './access/public-access.ts';
import { dialectFor } from './base/dialect.ts';
import { MethodNotAllowedError, NotFoundError, UnauthorizedError, withMissingPermission } from './base/errors.ts';
import type { SnapshotWarning } from './base/problems.ts';
import { ConfigError, type Settings } from './config/config.ts';
import type { CacheStatistics } from './engine/caches.ts';
import { Engine, refusal } from './engine/engine.ts';
import type { Route } from './engine/routes.ts';
import type { Format } from './engine/tasks.ts';
import type { Explanation } from './engine/trace.ts';
import { checkAdditions, readAdditions } from './extend/additions.ts';
import { CustomAnswers } from './extend/custom-answers.ts';
import type { LoadedExtension } from './extend/load.ts';
import { checkSettings } from './http/check-settings.ts';
import { Codings } from './http/codings.ts';
import type { TypeOverview } from './http/examples.ts';
import {
  createMiddleware,
  type Middleware,
  type RequestOptions,
  type RouterOptions,
  withoutOrigin,
} from './http/router.ts';
import type { LoadedSnapshot } from './load/loaded.ts';
import type { OpenUploads } from './media/open-uploads.ts';
import { systemNames } from './model/names.ts';
import { isPolymorphic, isScalar, userType } from './model/schema.ts';
import type { Found, Query } from './query/library.ts';
import { checkQueryObject } from './query/syntax/check-object.ts';
import { releaseBuffer } from './reply/buffer-pool.ts';
import { noStore } from './reply/cache-control.ts';
import { headerPlan } from './reply/header-list.ts';
import type { Reply } from './reply/reply.ts';
import { newestUpdate } from './store/newest-update.ts';

/** What a snapshot holds, for a person. */
export interface ContentSummary {
  /** Equal for equal content. */
  version: string;
  dialect: 'document' | 'strapi';
  /** The version of Strapi that wrote the content, such as 4.26.2; null where it is not known. */
  strapiVersion: string | null;
  /** The form of replies over HTTP where a request does not ask for one. */
  responseFormat: 'v4' | 'v5';
  defaultLocale: string;
  /** The content types that are served. `route` is the path below the prefix. */
  types: { uid: string; kind: 'collectionType' | 'singleType'; route: string; entries: number }[];
  /** Paths of the routes of an extension, with the prefix. */
  customRoutes: string[];
  /** How many components there are, those inside entries. */
  components: number;
  loadMilliseconds: number;
  /** Where the snapshot is one file of data: the types that were inferred, in words. */
  inferred: string[] | null;
  /** When loading ended, as ISO 8601. */
  loadedAt: string;
  /** The newest `updatedAt` of all entries, drafts and users too, as ISO 8601; null if none has any. */
  updatedAt: string | null;
  /** Mistakes in the snapshot that Strapi tolerates, one warning for each kind, and settings that are refused. */
  warnings: SnapshotWarning[];
}

/** The values of the header `Strapi-Response-Format`, in lower case. */
const formats: ReadonlyMap<string, Format> = new Map([
  ['v4', 'nested'],
  ['v5', 'flat'],
]);

/** What content is made of besides its snapshot and settings. */
export interface ContentParts {
  readonly extension?: LoadedExtension | null;
  readonly uploads?: OpenUploads | null;
}

/** Content that is being served: the library's face, and what the server is made of. */
export class Content {
  /** The path before every content route. */
  readonly prefix: string;
  readonly summary: ContentSummary;
  /** Compresses what is sent over HTTP; null where that is off. */
  readonly codings: Codings | null;
  readonly #engine: Engine;
  readonly #authenticator: Authenticator;
  readonly #uploads: OpenUploads | null;
  readonly #blockedUsers: ReadonlySet<string>;
  readonly #format: Format;
  /** Null without custom routes. */
  readonly #custom: CustomAnswers | null;

  /** `started` is when loading began, as `performance.now()` tells it. */
  constructor(loaded: LoadedSnapshot, settings: Settings, started: number, parts: ContentParts = {}) {
    const { extension = null, uploads = null } = parts;
    const name = settings.dialect ?? (loaded.kind === 'json' ? 'document' : 'strapi');
    const dialect = dialectFor(name, loaded.strapiVersion);
    this.#format = formats.get(settings.responseFormat ?? (dialect.contentVersion === 4 ? 'v4' : 'v5'))!;
    this.prefix = settings.prefix;
    this.#uploads = uploads;
    const withoutEffect = checkSettings(settings, loaded, extension?.customRoutes.actions);
    const additions = readAdditions(settings, dialect, extension);
    this.#blockedUsers = loaded.blockedUsers;
    const { compression, cacheBytes } = settings;
    const compressedBytes = compression ? Math.floor(cacheBytes / 4) : 0;
    this.codings = compression ? new Codings(compressedBytes) : null;
    const engineSettings = { ...settings, cacheBytes: cacheBytes - compressedBytes };
    this.#engine = new Engine(loaded.store, dialect, engineSettings, additions, loaded.types);
    const tolerance = settings.tolerance ?? (loaded.kind === 'json' ? 'strict' : 'tolerant');
    const warnings = [...withoutEffect, ...checkAdditions(settings, extension, additions, this.#engine, tolerance)];
    this.#custom = this.#customAnswers(extension);
    const roles = [...loaded.roles, ...settings.roles];
    this.#authenticator = new Authenticator({
      roles: settings.public ? withPublicAccess(roles, loaded.store.schema) : roles,
      tokens: settings.tokens,
      jwtSecret: settings.jwtSecret,
      emailConfirmation: loaded.emailConfirmation,
      ignoresOtherCredentials: dialect.access.ignoresOtherCredentials,
      user: (id) => this.#user(id),
    });
    this.summary = this.#summarize(loaded, warnings, performance.now() - started);
    void this.uploadsSettled.then((warnings) => {
      this.summary.warnings.push(...warnings.map((message) => ({ kind: 'uploads', count: 1, message })));
    });
  }

  /** Answers a URL such as `/api/articles?sort=title`. A refused request is an answer with its status. */
  answer(url: string, options: RequestOptions = {}): Reply | Promise<Reply> {
    const { authorization, method = 'GET', responseFormat, explains } = options;
    const format = formats.get(responseFormat?.toLowerCase() ?? '') ?? this.#format;
    try {
      if (method !== 'GET' && method !== 'HEAD') throw new MethodNotAllowedError(method);
      const caller = this.#authenticator.authenticate(authorization);
      // the site's own routes come before those of the content
      const custom = this.#custom?.find(url);
      const answer = (known: Caller): Reply | Promise<Reply> =>
        custom ? this.#custom!.answer(url, custom, known) : this.#answer(url, known, format, explains === true);
      return caller instanceof Promise
        ? caller.then(answer).catch((error) => this.#refuse(url, error))
        : answer(caller);
    } catch (error) {
      return this.#refuse(url, error);
    }
  }

  /** A route that does not exist is a 404, whatever is wrong with the credentials. */
  #refuse(url: string, error: unknown): Reply {
    return refusal(error instanceof UnauthorizedError && !this.hasRoute(url) ? new NotFoundError() : error);
  }

  /**
   * Explains how a URL is answered: its plan and the time of each stage. A whole URL (`https://host/api/…`) is taken
   * too. `role` is the type of the role that asks; without it everything that is not private may be read. Throws a
   * ConfigError for a role that does not exist.
   */
  explain(url: string, { role }: { role?: string } = {}): Explanation {
    const { roleTypes } = this.#authenticator;
    if (role !== undefined && !roleTypes.includes(role)) {
      throw new ConfigError(`There is no role ${JSON.stringify(role)}. The roles are ${roleTypes.join(', ')}.`);
    }
    const permissions = role === undefined ? allPermissions() : this.#authenticator.role(role);
    const path = withoutOrigin(url.split('#', 1)[0]);
    const custom = this.#custom?.find(path);
    if (custom) return { status: 200, plan: `custom route ${custom.route.path}`, stages: [], bytes: 0 };
    return this.#engine.explain(path, { permissions, role: role ?? tokenRole, userId: null });
  }

  /**
   * Finds the entries of a collection, by its plural name, or the one of a single type, by its singular name.
   * `role` is the type of a role, whose permissions then count; without it everything that is not private may be
   * read. Throws a RequestError with the `status` that the same URL would have.
   */
  find(name: string, query: Query = {}, options: { role?: string } = {}): Found {
    return this.#read(this.#engine.routes.find(name), name, query, this.#callerOf(options));
  }

  /** Finds one document of a collection. Throws a RequestError, with status 404 if there is no such document. */
  findOne(name: string, documentId: string, query: Query = {}, options: { role?: string } = {}): Found {
    return this.#findOne(name, documentId, query, this.#callerOf(options));
  }

  /** A middleware of Express: `app.use('/api', content.router())`. What is no content is a 404 unless `next` is given. */
  router(options: RouterOptions = {}): Middleware {
    return createMiddleware(this, this.prefix, options);
  }

  /** Whether a URL, the prefix included, is a route of the content or of an extension, whatever is found there. */
  hasRoute(url: string): boolean {
    return (this.#custom !== null && this.#custom.find(url) !== null) || this.#engine.hasRoute(url);
  }

  /** Whether something is served at `/uploads`. */
  get hasUploads(): boolean {
    return this.#uploads !== null;
  }

  /**
   * A middleware of Express for uploaded files: `app.use('/uploads', content.uploads())`. It passes on what it does not
   * have. Throws if the content was opened without the option `uploads`.
   */
  uploads(): Middleware {
    if (!this.#uploads) throw new Error('No uploaded files are served: open the content with the option "uploads"');
    return this.#uploads.serve;
  }

  /** Resolves when all uploaded files are in place that will be, with what went wrong, in words. */
  get uploadsSettled(): Promise<string[]> {
    return this.#uploads?.settled ?? Promise.resolve([]);
  }

  /** How the caches have served. */
  get cacheFigures(): Record<string, CacheStatistics> {
    const figures = this.#engine.cacheFigures;
    return this.codings ? { ...figures, compressed: this.codings.figures } : figures;
  }

  /** What tells callers with credentials apart, where an Authorization header holds any that are known; else null. */
  callerName(authorization: string | undefined): string | null {
    return this.#authenticator.nameOf(authorization);
  }

  /** The types that the role `public` may read, with the attributes that are their own. */
  schemaOverview(): TypeOverview[] {
    const { store, routes } = this.#engine;
    const permissions = this.#authenticator.role('public');
    const readable = this.summary.types.filter(({ route }) => permissions.allows(routes.find(route)!.action));
    const readableRoutes = new Set(readable.map(({ route }) => route));
    return readable.map(({ uid, kind, route }) => ({
      route,
      kind,
      attributes: Array.from(store.schema.type(uid).attributes.values())
        .filter(({ name, private: isPrivate }) => !isPrivate && !systemNames.has(name))
        .map((attribute) => {
          const type = isScalar(attribute) ? attribute.type : attribute.kind;
          if (isScalar(attribute) || isPolymorphic(attribute)) return { name: attribute.name, type };
          const target = routes.pathOf(attribute.target);
          return target && readableRoutes.has(target) ? { name: attribute.name, type, target } : null;
        })
        .filter((attribute) => attribute !== null),
    }));
  }

  #customAnswers(extension: LoadedExtension | null): CustomAnswers | null {
    if (!extension || extension.customRoutes.paths.length === 0) return null;
    return new CustomAnswers(extension.customRoutes, this.prefix, {
      version: this.#engine.store.version,
      parse: (text) => this.#engine.parse(text),
      find: (name, query, caller) => this.#read(this.#engine.routes.find(name), name, query, caller),
      findOne: (name, documentId, query, caller) => this.#findOne(name, documentId, query, caller),
    });
  }

  #callerOf({ role }: { role?: string }): Caller {
    const permissions = role === undefined ? allPermissions() : this.#authenticator.role(role);
    return { permissions, role: role ?? tokenRole, userId: null };
  }

  #findOne(name: string, documentId: string, query: Query, caller: Caller): Found {
    const target = this.#engine.routes.findParts([...name.split('/'), documentId]);
    const isOne = target?.read === 'document' || target?.read === 'entry';
    return this.#read(isOne ? { ...target, missing: undefined } : null, name, query, caller);
  }

  #read(target: Route | null, name: string, query: Query, caller: Caller): Found {
    if (!target || target.read === 'schemas')
      throw new NotFoundError(`No content type is served as ${JSON.stringify(name)}`);
    // a program gets the same form whatever the route's own is
    const asked: Route = target.read === 'list' ? { ...target, list: 'page', ignoresQuery: false } : target;
    checkQueryObject(query);
    const found = this.#found(asked, query, caller);
    return asked.read === 'entry' ? { data: found, meta: {} } : found;
  }

  /** Programs with full access are told which permission a role lacks. */
  #found(target: Route, query: Query, caller: Caller): Found {
    try {
      const body = this.#engine.read(target, { ...query }, caller);
      const found = JSON.parse(body.toString());
      releaseBuffer(body);
      return found;
    } catch (error) {
      throw withMissingPermission(error);
    }
  }

  #answer(url: string, caller: Caller, format: Format, explains: boolean): Reply {
    const reply = this.#engine.answer(url, caller, format);
    // a plan counts rows that others may not see
    if (!explains || caller.permissions !== allPermissions()) return reply;
    const { plan, stages } = this.#engine.explain(url, caller);
    const times = stages.map(({ stage, microseconds }) => `${stage};dur=${microseconds / 1000}`);
    const headers = {
      ...reply.headers,
      'Cache-Control': noStore,
      'X-Lectern-Plan': headerPlan(plan),
      'Server-Timing': times.join(', '),
    };
    // not what was worked out for sending the reply without them
    return { status: reply.status, headers, body: reply.body, route: reply.route };
  }

  #user(id: number): AccessUser | undefined {
    const users = this.#engine.store.byUid.get(userType);
    if (!users) return undefined;
    // a role that nobody may see gives nobody rights
    const populate = users.type.attributes.get('role')?.private === false ? { role: true } : {};
    const [entry] = this.#read(
      this.#engine.routes.users,
      'users',
      { filters: { id }, populate },
      this.#callerOf({}),
    ).data;
    if (!entry) return undefined;
    const blocked = this.#blockedUsers.has(entry.documentId ?? `#${entry.id}`);
    return { role: entry.role?.type ?? null, blocked, confirmed: entry.confirmed };
  }

  #summarize(loaded: LoadedSnapshot, warnings: readonly string[], loadMilliseconds: number): ContentSummary {
    const { store } = loaded;
    const types = store.collections.flatMap(({ type, rowCount }) => {
      const route = type.kind === 'component' ? null : this.#engine.routes.pathOf(type.uid);
      if (route === null || type.kind === 'component') return [];
      return [{ uid: type.uid, kind: type.kind, route, entries: rowCount }];
    });
    const components = store.collections.filter(({ type }) => type.kind === 'component');
    return {
      version: store.version,
      dialect: this.#engine.dialect.name,
      strapiVersion: loaded.strapiVersion,
      responseFormat: this.#format === 'nested' ? 'v4' : 'v5',
      defaultLocale: store.defaultLocale,
      types,
      customRoutes: this.#custom?.paths ?? [],
      components: components.reduce((total, { rowCount }) => total + rowCount, 0),
      loadMilliseconds,
      inferred: loaded.inferred && [...loaded.inferred],
      loadedAt: new Date().toISOString(),
      updatedAt: newestUpdate(store),
      warnings: [...loaded.warnings, ...warnings.map((message) => ({ kind: 'wrong-setting', count: 1, message }))],
    };
  }
}
