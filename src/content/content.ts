import type { Batch } from '../changes/batch/batch.ts';
import type { Change } from '../changes/batch/json-change.ts';
import type { Unlinked } from '../changes/batch/unlinked.ts';
import { isPlainObject } from '../core/plain-object.ts';
import { runAtOnce } from '../core/steps.ts';
import type { SchemaDescription } from '../description/describe-schema.ts';
import type { OpenApiDocument } from '../description/openapi/openapi.ts';
import { CustomAnswers } from '../engine/additions/custom-routes.ts';
import type { LoadedExtension } from '../engine/additions/load.ts';
import { callerOf, find, findOne, tagsOfRead } from '../engine/library-reads.ts';
import type { Explanation } from '../engine/trace.ts';
import type { Codings } from '../http/codings.ts';
import type { RequestParts } from '../http/content-handler.ts';
import { createMiddleware, type Middleware, type RouterOptions } from '../http/content-handler.ts';
import type { ExplorerOrigins } from '../http/home/explorer.ts';
import { createPathReader } from '../http/prefix.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import { ConfigError, type Settings } from '../model/settings/config.ts';
import type { SourceOf } from '../model/settings/setting-problems.ts';
import type { Found, LibraryRead, Query } from '../query/library.ts';
import type { Reply } from '../query/reply/reply.ts';
import { versionText } from '../store/content-version.ts';
import { Answers } from './versions/answers.ts';
import type { StaleEvent } from './versions/change-feed.ts';
import type { RecentVersion } from './versions/kept-versions.ts';
import { openApiDocument } from './versions/openapi-replies.ts';
import { explorerOrigins } from './versions/schema-replies.ts';
import type { PinnedVersion } from './versions/served-version.ts';
import { Subscriptions } from './versions/subscriptions.ts';
import type { ContentSummary } from './versions/summary.ts';
import { type ServingParts, VersionHistory } from './versions/version-history.ts';

/** What content consists of besides its snapshot and settings. */
export interface ContentParts extends ServingParts {
  readonly extension?: LoadedExtension | null;
  /** Names the source of a setting in errors. Default: `options`. */
  readonly sourceOf?: SourceOf;
}

/** Content that is served. The library returns it, and the server answers from it. */
export class Content {
  /** The path in front of every content route. */
  readonly prefix: string;
  /**
   * The served snapshot, which the server replaces and changes.
   *
   * @internal
   */
  readonly history: VersionHistory;
  readonly #answers: Answers;
  readonly #settings: Settings;
  /** Returns the path of a URL below the prefix, or null. */
  readonly #pathOf: (url: string) => string | null;
  readonly #subscriptions: Subscriptions;

  /** `started` is when loading began, as `performance.now()` counts. */
  constructor(loaded: LoadedSnapshot, settings: Settings, started: number, parts: ContentParts = {}) {
    const { extension = null, sourceOf = () => 'options', ...serving } = parts;
    this.prefix = settings.prefix;
    this.#settings = settings;
    const hasCustomRoutes = extension !== null && extension.customRoutes.paths.length > 0;
    const custom = hasCustomRoutes ? new CustomAnswers(extension.customRoutes, settings.prefix) : null;
    const customRoutes = custom?.paths ?? [];
    this.history = new VersionHistory(loaded, { settings, sourceOf, extension, customRoutes }, started, serving);
    this.#answers = new Answers(this.history, settings, custom);
    this.#subscriptions = new Subscriptions(this.history.served.changes);
    this.#pathOf = createPathReader(this);
  }

  /** Compresses replies over HTTP. Null if compression is off. */
  get codings(): Codings | null {
    return this.history.served.codings;
  }

  /**
   * Applies changes: a batch of rows and links, or a list of changes in JSON, as `POST /_changes` takes them. Applies all
   * of them, or, if it throws a SnapshotError, none. They are visible when the call returns, and stay until other content
   * is loaded. Cached replies that they do not concern stay. Returns the references of a list that made no link.
   */
  apply(changes: Batch | { readonly changes: readonly Change[] }): { readonly unlinked: Unlinked } {
    // programs in JavaScript pass anything: preparing says what is wrong with it
    const isJson = isPlainObject(changes) && 'changes' in changes;
    const { history } = this;
    const [given, form] = isJson ? ([changes.changes, 'changes'] as const) : ([changes, 'batch'] as const);
    const prepared = runAtOnce(history.prepareInSteps(given, form));
    runAtOnce(history.commitInSteps(prepared));
    return { unlinked: prepared.unlinked };
  }

  /**
   * Makes a base of the content with all its changes, so that queries and batches cost as much as without changes. Starts
   * by itself after many changes. A thread does it while requests are answered and batches applied.
   * Replies, versions and cached replies stay. Resolves when it is done, or when it is abandoned because other content
   * is served. Rejects if it fails; the content then stays as it is. Needs the built package, as published.
   */
  compact(): Promise<void> {
    return this.history.compactions.run();
  }

  /** Removes unpacked files when the requests for them have ended. To be called when nothing is served any more. */
  async close(): Promise<void> {
    await this.history.close();
  }

  /** The version that is served, as in the header `X-Lectern-Version`. */
  get version(): string {
    return versionText(this.history.active.engine.version);
  }

  /**
   * The latest version, which differs from `version` while another one is pinned.
   *
   * @internal
   */
  get latestVersion(): string {
    return versionText(this.history.version);
  }

  /**
   * Calls the listener when another version is served. Returns a function that ends the calls.
   *
   * @internal
   */
  onServed(listener: () => void): () => void {
    return this.history.served.changes.listen(listener);
  }

  /**
   * The last versions, the latest first. They take at most `earlierBytes` besides what they share with the latest.
   */
  get versions(): RecentVersion[] {
    return this.history.recent;
  }

  /** The version that is served in place of the latest one, or null. */
  get pinned(): PinnedVersion | null {
    return this.history.pinned;
  }

  /**
   * Serves one of the `versions` until another one is pinned, or `unpin` is called. Changes are made to the latest version
   * meanwhile, and are not visible. Throws a RequestError with the status 404 for another version.
   */
  pin(version: string): void {
    runAtOnce(this.history.pinInSteps(version));
  }

  /** Serves the latest version again. */
  unpin(): void {
    this.history.served.unpin();
  }

  /** A summary of the served snapshot. */
  get summary(): ContentSummary {
    return this.history.summary;
  }

  /** Answers a URL such as `/api/articles?sort=title`. Returns an error as a reply. */
  answer(url: string, options: RequestParts = {}): Reply | Promise<Reply> {
    return this.answerPath(this.#pathOf(url) ?? '', options);
  }

  /** Answers a path below the prefix with its query string, such as `articles?sort=title`. */
  answerPath(path: string, options: RequestParts = {}): Reply | Promise<Reply> {
    return this.#answers.answer(path, options);
  }

  /**
   * Explains how a URL is answered: its plan and the time of each stage. The URL may have an origin. `role` is the type
   * of the caller's role. Without it, the caller may read everything that is not private. Throws a ConfigError for a
   * role that does not exist.
   */
  explain(url: string, { role }: { role?: string } = {}): Explanation {
    this.#checkRole(role);
    return this.#answers.explain(this.#pathBelowPrefix(url), role);
  }

  /** Returns the path of a URL, which may have an origin. */
  #pathBelowPrefix(url: string): string {
    return this.#pathOf(url.split('#', 1)[0]) ?? '';
  }

  #contentPath(url: string): string {
    const path = this.#pathBelowPrefix(url);
    if (this.#answers.isCustom(path))
      throw new Error(`${url} is a custom route: subscribe to the queries that it makes`);
    return path;
  }

  #checkRole(role: string | undefined): void {
    const { types } = this.history.active.engine.access.roles;
    if (role === undefined || types.includes(role)) return;
    throw new ConfigError(`There is no role ${JSON.stringify(role)}. The roles are ${types.join(', ')}.`);
  }

  /**
   * Finds the entries of a collection by its plural name, or the entry of a single type by its singular name. `role` is
   * the type of the caller's role. Without it, the caller may read everything that is not private. Throws a
   * RequestError with the `status` that the same URL would have.
   */
  find(name: string, query: Query = {}, { role }: { role?: string } = {}): Found {
    const { engine } = this.history.active;
    return find(engine, name, query, callerOf(engine, role));
  }

  /** Finds one document of a collection. Throws a RequestError, with status 404 if there is no such document. */
  findOne(name: string, documentId: string, query: Query = {}, { role }: { role?: string } = {}): Found {
    const { engine } = this.history.active;
    return findOne(engine, name, documentId, query, callerOf(engine, role));
  }

  /**
   * Calls the listener when the answer to a URL or a query may have changed, with the version that is served now. The
   * answer is found once now, and again after each change that concerns it. `role` is the type of the caller's role.
   * Without it, the caller may read everything that is not private. Returns a function that ends the calls. Throws a
   * RequestError for an unknown type and a ConfigError for an unknown role.
   */
  subscribe(
    read: string | LibraryRead,
    listener: (version: string) => void,
    { role }: { role?: string } = {},
  ): () => void {
    this.#checkRole(role);
    const source = typeof read === 'string' ? this.#contentPath(read) : read;
    const tagsNow = () => tagsOfRead(this.history.active.engine, source, callerOf(this.history.active.engine, role));
    return this.#subscriptions.add(tagsNow, listener);
  }

  /** Calls the listener after each change. Returns a function that ends the calls. */
  onStale(listener: (event: StaleEvent) => void): () => void {
    return this.history.served.changes.listenToNames(listener);
  }

  /**
   * Returns an Express middleware: `app.use('/api', content.router())`. It answers 404 if no content is found, unless
   * `next` is set.
   */
  router(options: RouterOptions = {}): Middleware {
    return createMiddleware(this, options);
  }

  /** Returns whether a path below the prefix is a route of the content or of an extension. The entry need not exist. */
  hasRoute(path: string): boolean {
    return this.#answers.hasRoute(path);
  }

  /** Whether uploaded files are served at `/uploads`. */
  get hasUploads(): boolean {
    return this.history.uploads.served !== null;
  }

  /**
   * Returns an Express middleware for uploaded files: `app.use('/uploads', content.uploads())`. It calls `next()` for
   * files that it does not have. Throws if the content was opened without the option `uploads`.
   */
  uploads(): Middleware {
    if (!this.hasUploads) throw new Error('No uploaded files are served: open the content with the option "uploads"');
    return (request, response, next) => this.history.uploads.served!.serve(request, response, next);
  }

  /** Resolves with a list of problems when all uploaded files are in place. */
  get uploadsSettled(): Promise<string[]> {
    return this.history.uploads.served?.settled ?? Promise.resolve([]);
  }

  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(authorization: string | undefined): string | null {
    return this.#answers.authenticator.nameOf(authorization, this.history.active.engine.access.credentials);
  }

  /** Returns the path below the prefix of the nearest route that the role `public` may read, or null. */
  nearestRoute(path: string): string | null {
    const { engine } = this.history.active;
    return engine.nearestRoute(path, engine.access.role('public'));
  }

  /**
   * Describes the types that a role may read, by its type, with their attributes and what queries may do with them.
   * Without a role, all that is not private. Throws a ConfigError for a role that does not exist.
   */
  describeSchema({ role }: { role?: string } = {}): SchemaDescription {
    this.#checkRole(role);
    const { engine } = this.history.active;
    return engine.describe(callerOf(engine, role).permissions, this.history.loaded.kind === 'strapi');
  }

  /**
   * Returns the OpenAPI 3.1 document of the routes that a role may request. Without a role, of all routes. Throws a
   * ConfigError for a role that does not exist.
   */
  openApi({ role }: { role?: string } = {}): OpenApiDocument {
    this.#checkRole(role);
    const { active } = this.history;
    return openApiDocument(active, callerOf(active.engine, role).permissions, this);
  }

  /**
   * Answers a request for how a URL is answered: its plan for callers with full access, the time of each stage for others.
   * The URL has the prefix, and may have an origin.
   */
  answerExplain(url: string, options: RequestParts = {}): Reply | Promise<Reply> {
    return this.#answers.answerExplain(this.#pathBelowPrefix(url), options);
  }

  /** Answers a request for the OpenAPI document, as its caller may see it. `base` is the URL in front of the prefix. */
  answerOpenApi(base: string, options: RequestParts = {}): Reply | Promise<Reply> {
    return this.#answers.answerOpenApi(base, options);
  }

  /**
   * Answers a request for the schema, as its caller may see it. `name` is the content that it chose, if any.
   *
   * @internal
   */
  answerSchema(name: string, options: RequestParts = {}): Reply | Promise<Reply> {
    return this.#answers.answerSchema(name, options);
  }

  /**
   * What the page at `/_explorer` may load, or null if the setting switches it off.
   *
   * @internal
   */
  get explorer(): ExplorerOrigins | null {
    return this.#settings.explorer ? explorerOrigins(this.history.active, this.#settings) : null;
  }
}
