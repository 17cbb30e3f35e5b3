import { Authenticator, type Caller } from './access/authenticate.ts';
import { MethodNotAllowedError, NotFoundError, UnauthorizedError } from './base/errors.ts';
import { isPlainObject } from './base/plain-object.ts';
import type { Batch } from './changes/batch.ts';
import type { Change } from './changes/json-change.ts';
import { ConfigError, type Settings } from './config/config.ts';
import type { SourceOf } from './config/setting-problems.ts';
import {
  type ActiveSnapshot,
  activateSnapshot,
  type ContentConfiguration,
  commitChange,
  filesAfterChanges,
  formats,
  identityOf,
  type PreparedChange,
  prepareBatch,
  prepareJson,
  rebaseSnapshot,
} from './content/active-snapshot.ts';
import { ChangeFeed, type StaleEvent } from './content/change-feed.ts';
import { defaultLimits } from './content/compaction-limits.ts';
import { type Compacted, type CompactionFigures, type CompactionParts, Compactions } from './content/compactions.ts';
import { ContentUploads } from './content/content-uploads.ts';
import { subscribe } from './content/subscribe.ts';
import type { ContentSummary } from './content/summary.ts';
import type { CacheStatistics } from './engine/byte-bounded-cache.ts';
import type { Catalog } from './engine/catalog.ts';
import { answerExplained } from './engine/explained-reply.ts';
import { callerOf, find, findOne, tagsOfRead } from './engine/library-reads.ts';
import { errorReplyOf, type StoreEngine } from './engine/store-engine.ts';
import type { Explanation } from './engine/trace.ts';
import { CustomAnswers } from './extend/custom-answers.ts';
import type { LoadedExtension } from './extend/load.ts';
import { Codings } from './http/codings.ts';
import type { RequestParts } from './http/content-handler.ts';
import { overviewOf, type TypeOverview } from './http/home/overview.ts';
import { createMiddleware, type Middleware, type RouterOptions } from './http/middleware.ts';
import { createPathReader } from './http/prefix.ts';
import type { LoadedSnapshot } from './load/loaded.ts';
import type { Unpack } from './media/open-uploads.ts';
import type { Found, LibraryRead, Query } from './query/library.ts';
import type { Reply } from './reply/reply.ts';
import { arraysOf } from './store/attach-store.ts';
import { type ContentVersion, nextVersion, versionText } from './store/content-version.ts';
import { viewsOf } from './store/flat-arrays.ts';

/** What content consists of besides its snapshot and settings. */
export interface ContentParts {
  readonly extension?: LoadedExtension | null;
  /** Names the source of a setting in errors. Default: `options`. */
  readonly sourceOf?: SourceOf;
  /** Unpacks the uploaded files of an archive. Default: in this thread. */
  readonly unpack?: Unpack;
  /** Compactions. Default: in threads of their own, each when there are many changes. */
  readonly compactions?: CompactionParts;
}

/** Content that is being served. It is what the library returns and what the server answers from. */
export class Content {
  /** The path in front of every content route. */
  readonly prefix: string;
  /** Tells listeners about changes. */
  readonly #changes = new ChangeFeed();
  /** Compresses replies over HTTP; null where that is off. */
  readonly codings: Codings | null;
  /** The settings, with `cacheBytes` less the quarter for compressed replies. */
  readonly #settings: Settings;
  readonly #sourceOf: SourceOf;
  readonly #extension: LoadedExtension | null;
  readonly #authenticator: Authenticator;
  /** Null without custom routes. */
  readonly #custom: CustomAnswers | null;
  /** Returns the path of a URL below the prefix, or null. */
  readonly #pathOf: (url: string) => string | null;
  #active: ActiveSnapshot;
  readonly #uploads: ContentUploads;
  readonly #compactions: Compactions;
  readonly #compressedBytes: number;
  #share = 1;

  /** `started` is when loading began, as `performance.now()` counts. */
  constructor(loaded: LoadedSnapshot, settings: Settings, started: number, parts: ContentParts = {}) {
    const { extension = null, sourceOf = () => 'options', unpack, compactions } = parts;
    const { compression, cacheBytes, prefix } = settings;
    this.prefix = prefix;
    this.#extension = extension;
    this.#sourceOf = sourceOf;
    this.#compressedBytes = compression ? Math.floor(cacheBytes / 4) : 0;
    this.codings = compression ? new Codings(this.#compressedBytes) : null;
    this.#settings = { ...settings, cacheBytes: cacheBytes - this.#compressedBytes };
    this.#authenticator = new Authenticator(settings);
    const hasCustomRoutes = extension !== null && extension.customRoutes.paths.length > 0;
    this.#custom = hasCustomRoutes ? new CustomAnswers(extension.customRoutes, prefix) : null;
    this.#active = this.#activate(loaded, started, null);
    this.#uploads = new ContentUploads(settings, unpack, loaded.uploadedFiles, this.summary);
    this.#compactions = new Compactions(this.#compacted(), { limits: defaultLimits, ...compactions });
    this.#pathOf = createPathReader(this);
  }

  /**
   * Serves another snapshot from now on, with its uploaded files. Returns false if it equals the one that is served,
   * or is of the epoch that is served, which then stays with its changes and caches. Requests in progress end on the
   * snapshot that they began with. Prepared queries survive if the schema is the same. Throws a ConfigError if the
   * settings contradict the snapshot; the content then stays as it is. With `isForced`, an equal snapshot of another epoch
   * is served, too.
   */
  replace(loaded: LoadedSnapshot, started = performance.now(), isForced = false): boolean {
    const { loaded: served, base, summary } = this.#active;
    const isNew = loaded.version?.epoch !== base.epoch && (isForced || identityOf(loaded) !== identityOf(served));
    if (isNew) {
      const next = this.#activate(loaded, started, this.#active.engine.catalog);
      if (this.#share < 1) next.engine.takeShare(this.#share);
      this.#active = next;
      this.#compactions.abandon();
    } else {
      summary.loadedAt = new Date().toISOString();
      const uploadedFiles = filesAfterChanges(loaded.uploadedFiles, served.uploadedFiles);
      this.#active = { ...this.#active, loaded: { ...served, uploadedFiles } };
    }
    this.#uploads.replace(this.#active.loaded.uploadedFiles, this.summary);
    if (isNew) this.#changes.publish({ version: this.version, stale: null });
    return isNew;
  }

  /** Throws a ConfigError if the settings contradict the snapshot. */
  check(loaded: LoadedSnapshot): void {
    this.#activate(loaded, performance.now(), this.#active.engine.catalog);
  }

  /**
   * Applies changes: a batch of rows and links, or a list of changes in JSON, as `POST /_changes` takes them. Applies all
   * of them, or, if it throws a SnapshotError, none. They are visible when the call returns, and stay until other content
   * is loaded. Cached replies that they do not concern stay.
   */
  apply(changes: Batch | { readonly changes: readonly Change[] }): void {
    // programs in JavaScript pass anything: `prepare` says what is wrong with it
    const isJson = isPlainObject(changes) && 'changes' in changes;
    this.commit(isJson ? this.prepareJson(changes.changes) : this.prepare(changes));
  }

  /** Validates a batch and returns it for `commit`. Changes nothing. Throws a SnapshotError that lists the errors. */
  prepare(batch: unknown): PreparedChange {
    return prepareBatch(this.#active, batch, this.#configuration);
  }

  /** As `prepare`, for a list of changes in JSON, as `POST /_changes` takes them. */
  prepareJson(changes: unknown): PreparedChange {
    return prepareJson(this.#active, changes, this.#configuration);
  }

  /** Makes a batch visible. It is prepared again if another one was applied, or the content compacted, meanwhile. */
  commit(prepared: PreparedChange): void {
    const current = prepared.from === this.#active ? prepared : this.prepare(prepared.batch);
    const { catalog } = this.#active.engine;
    const { active, stale } = commitChange(current, this.#settings);
    const { engine } = active;
    this.#active = active;
    // a new catalog has caches of its own
    if (this.#share < 1 && engine.catalog !== catalog) engine.takeShare(this.#share);
    this.#uploads.replace(active.loaded.uploadedFiles, this.summary);
    this.#changes.publish({ version: this.version, stale });
    this.#compactions.applied(current.batch);
  }

  /**
   * Makes a base of the content with all its changes, so that queries and batches cost what they cost without changes.
   * That happens by itself after many changes. A thread does it while requests are answered and batches applied.
   * Replies, versions and cached replies stay. Resolves when it is done, or when it is abandoned because other content
   * is served. Rejects if it fails; the content then stays as it is. Needs the built package, as published.
   */
  compact(): Promise<void> {
    return this.#compactions.run();
  }

  /** How compactions ended, and how long the last one took. */
  get compactionFigures(): CompactionFigures {
    return this.#compactions.figures;
  }

  #compacted(): Compacted {
    const content = this;
    return {
      get loaded() {
        return content.#active.loaded;
      },
      settings: this.#settings,
      rebase: (store) => {
        this.#active = rebaseSnapshot(this.#active, store);
        this.#changes.rebase();
      },
    };
  }

  /**
   * Uses this part of `cacheBytes`, `derivedBytes` and of prepared queries from now on, from 0 to 1. Evicts what was
   * used least recently.
   */
  takeShare(share: number): void {
    if (share === this.#share) return;
    this.#share = share;
    this.#active.engine.takeShare(share);
    this.codings?.resize(Math.floor(this.#compressedBytes * share));
  }

  /** Bytes of the store, without what is derived from it. */
  get storeBytes(): number {
    const { buffers } = viewsOf(arraysOf(this.#active.engine.store).arrays);
    return buffers.reduce((total, { byteLength }) => total + byteLength, 0);
  }

  /** Removes unpacked files when the requests for them have ended. To be called when nothing is served any more. */
  async close(): Promise<void> {
    this.#compactions.abandon();
    await this.#uploads.served?.release();
  }

  /** The version that is served, as in the header `X-Lectern-Version`. */
  get version(): string {
    return versionText(this.#active.engine.version);
  }

  /** The version after the next batch. */
  get nextVersion(): ContentVersion {
    return nextVersion(this.#active.engine.version);
  }

  /** The version of the snapshot without changes. */
  get base(): ContentVersion {
    return this.#active.base;
  }

  /** Gives the snapshot this version. To be called before it is served. */
  resume(version: ContentVersion): void {
    this.#active = { ...this.#active, base: version, engine: this.#active.engine.renumber(version) };
  }

  /** A summary of the snapshot that is being served. */
  get summary(): ContentSummary {
    return this.#active.summary;
  }

  #activate(loaded: LoadedSnapshot, started: number, earlier: Catalog | null): ActiveSnapshot {
    return activateSnapshot(loaded, this.#configuration, started, earlier);
  }

  get #configuration(): ContentConfiguration {
    const customRoutes = this.#custom?.paths ?? [];
    return { settings: this.#settings, sourceOf: this.#sourceOf, extension: this.#extension, customRoutes };
  }

  /** Answers a URL such as `/api/articles?sort=title`. Returns an error as a reply. */
  answer(url: string, options: RequestParts = {}): Reply | Promise<Reply> {
    return this.answerPath(this.#pathOf(url) ?? '', options);
  }

  /** Answers a path below the prefix with its query string, such as `articles?sort=title`. */
  answerPath(path: string, options: RequestParts = {}): Reply | Promise<Reply> {
    const { authorization, method = 'GET', responseFormat, explains } = options;
    const { engine, format: defaultFormat } = this.#active;
    const format = formats.get(responseFormat?.toLowerCase() ?? '') ?? defaultFormat;
    try {
      if (method !== 'GET' && method !== 'HEAD') throw new MethodNotAllowedError(method);
      const caller = this.#authenticator.authenticate(authorization, engine.access);
      // the site's own routes come before those of the content
      const match = this.#custom?.find(path);
      const answer = (known: Caller): Reply | Promise<Reply> => {
        if (match) return this.#custom!.answer(path, match, known, engine);
        return explains ? answerExplained(engine, path, known, format) : engine.answer(path, known, format);
      };
      return caller instanceof Promise
        ? caller.then(answer).catch((error) => this.#errorReply(engine, path, error))
        : answer(caller);
    } catch (error) {
      return this.#errorReply(engine, path, error);
    }
  }

  /** A route that does not exist is a 404, whatever is wrong with the credentials. */
  #errorReply(engine: StoreEngine, path: string, error: unknown): Reply {
    const isUnknown = error instanceof UnauthorizedError && !this.#isRoute(engine, path);
    return errorReplyOf(isUnknown ? new NotFoundError() : error);
  }

  /**
   * Explains how a URL is answered: its plan and the time of each stage. The URL may have an origin. `role` is the type
   * of the caller's role. Without it, the caller may read everything that is not private. Throws a ConfigError for a
   * role that does not exist.
   */
  explain(url: string, { role }: { role?: string } = {}): Explanation {
    const { engine, format } = this.#active;
    this.#checkRole(role);
    const path = this.#pathBelowPrefix(url);
    const custom = this.#custom?.find(path);
    if (custom) {
      return { status: 200, plan: `custom route ${custom.route.path}`, page: '', stages: [], cost: null, bytes: 0 };
    }
    return engine.explain(path, callerOf(engine, role), format);
  }

  /** Returns the path of a URL, which may have an origin. */
  #pathBelowPrefix(url: string): string {
    return this.#pathOf(url.split('#', 1)[0]) ?? '';
  }

  #contentPath(url: string): string {
    const path = this.#pathBelowPrefix(url);
    if (this.#custom?.find(path)) throw new Error(`${url} is a custom route: subscribe to the queries that it makes`);
    return path;
  }

  #checkRole(role: string | undefined): void {
    const { types } = this.#active.engine.access.roles;
    if (role === undefined || types.includes(role)) return;
    throw new ConfigError(`There is no role ${JSON.stringify(role)}. The roles are ${types.join(', ')}.`);
  }

  /**
   * Finds the entries of a collection by its plural name, or the entry of a single type by its singular name. `role` is
   * the type of the caller's role. Without it, the caller may read everything that is not private. Throws a
   * RequestError with the `status` that the same URL would have.
   */
  find(name: string, query: Query = {}, { role }: { role?: string } = {}): Found {
    const { engine } = this.#active;
    return find(engine, name, query, callerOf(engine, role));
  }

  /** Finds one document of a collection. Throws a RequestError, with status 404 if there is no such document. */
  findOne(name: string, documentId: string, query: Query = {}, { role }: { role?: string } = {}): Found {
    const { engine } = this.#active;
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
    const tagsNow = () => tagsOfRead(this.#active.engine, source, callerOf(this.#active.engine, role));
    return subscribe(this.#changes, tagsNow, listener);
  }

  /** Calls the listener after each change. Returns a function that ends the calls. */
  onStale(listener: (event: StaleEvent) => void): () => void {
    return this.#changes.listenToNames(listener);
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
    return this.#isRoute(this.#active.engine, path);
  }

  #isRoute(engine: StoreEngine, path: string): boolean {
    return (this.#custom !== null && this.#custom.find(path) !== null) || engine.hasRoute(path);
  }

  /** Whether uploaded files are served at `/uploads`. */
  get hasUploads(): boolean {
    return this.#uploads.served !== null;
  }

  /**
   * Returns an Express middleware for uploaded files: `app.use('/uploads', content.uploads())`. It calls `next()` for
   * files that it does not have. Throws if the content was opened without the option `uploads`.
   */
  uploads(): Middleware {
    if (!this.hasUploads) throw new Error('No uploaded files are served: open the content with the option "uploads"');
    return (request, response, next) => this.#uploads.served!.serve(request, response, next);
  }

  /** Resolves with a list of problems when all uploaded files are in place. */
  get uploadsSettled(): Promise<string[]> {
    return this.#uploads.served?.settled ?? Promise.resolve([]);
  }

  /** Use and size of the caches. */
  get cacheFigures(): Record<string, CacheStatistics> {
    const figures = this.#active.engine.cacheFigures;
    return this.codings ? { ...figures, compressed: this.codings.figures } : figures;
  }

  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(authorization: string | undefined): string | null {
    return this.#authenticator.nameOf(authorization);
  }

  /** Returns the types that the role `public` may read, with their own attributes. */
  schemaOverview(): TypeOverview[] {
    const { engine } = this.#active;
    return overviewOf(engine, engine.access.role('public'));
  }
}
