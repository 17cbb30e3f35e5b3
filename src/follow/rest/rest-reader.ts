import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PluginPost, pluginPostOf } from '../../content/registry/plugin-post.ts';
import { SnapshotError, SourceAwayError } from '../../core/errors.ts';
import { warning } from '../../core/problems.ts';
import { CacheError } from '../../http/files/cache-folder.ts';
import { asSnapshotError } from '../../load/files.ts';
import { loadSnapshot } from '../../load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../load/loaded.ts';
import { localeType } from '../../model/schema/schema.ts';
import { InterruptiblePause } from '../pauses.ts';
import type { OnUnchanged, RestSource, SourceChange, SourceReader } from '../source-reader.ts';
import { PluginInput } from './plugin/plugin-input.ts';
import { PluginError } from './plugin/plugin-route.ts';
import { pullContent } from './pull-content.ts';
import { PullFolder } from './pull-folder.ts';
import { changedPlaceOf, Hints } from './refresh/hints.ts';
import { PostOrder } from './refresh/post-order.ts';
import { type Compared, RestContent } from './refresh/rest-content.ts';
import { RunningComparison } from './refresh/running-comparison.ts';
import { type ClientSettings, StrapiClient } from './strapi-client.ts';
import { StrapiError } from './strapi-error.ts';
import { RestInput, type StrapiInput, type StrapiOutline } from './strapi-input.ts';

/** Webhooks that arrive within this time are read together. Posts of the plugin are read at once. In milliseconds. */
const hintWindow = 50;
/** After this time, documents that changed while they were requested are requested again. In milliseconds. */
const settleTime = 1000;
/** The time of the next comparison while everything is being read. */
const undecided = Number.POSITIVE_INFINITY;
/** Maximum attempts for requests while older content is served, so that failures show early. */
const attempts = 3;

/**
 * Reads a Strapi over its REST API, or by the route of its plugin: pulls everything, then what webhooks and posts name and
 * comparisons find. If the route fails, REST takes its place until the next load of everything.
 */
export class RestReader implements SourceReader {
  readonly #source: RestSource;
  readonly #onUnchanged: OnUnchanged;
  readonly #settings: Partial<ClientSettings>;
  readonly #closing = new AbortController();
  readonly #hints = new Hints();
  readonly #posts = new PostOrder();
  /** When the last post came that had none missing before it, until `#onUnchanged` is called for it. */
  #toldAt: number | null = null;
  /** Whether there are hints by webhooks. */
  #hasWebhooks = false;
  /** In progress, or done and not taken yet. */
  #comparison: RunningComparison | null = null;
  #content: RestContent | null = null;
  /** Why the next load is by REST, in a sentence. Null: by the route of the plugin, if there is a secret. */
  #problem: string | null = null;
  /** When the next comparison is due, in milliseconds since 1970. */
  #compareAt = 0;
  #loading: Promise<unknown> = Promise.resolve();
  /** Pauses that a hint ends: before the next comparison, and after a failed request. */
  readonly #pause = new InterruptiblePause();

  /** `settings` are those of the client, for tests. */
  constructor(source: RestSource, onUnchanged: OnUnchanged, settings: Partial<ClientSettings> = {}) {
    this.#source = source;
    this.#onUnchanged = onUnchanged;
    this.#settings = settings;
  }

  load(options: LoadOptions): Promise<LoadedSnapshot> {
    const loading = this.#load(options);
    this.#loading = loading.catch(() => {});
    return loading;
  }

  async #load(options: LoadOptions): Promise<LoadedSnapshot> {
    const { secret, types } = this.#source;
    let problem = this.#problem;
    this.#problem = null;
    try {
      if (secret !== null && problem === null) {
        try {
          return await this.#loadBy((client) => new PluginInput(client, secret, options.users), options);
        } catch (error) {
          if (!(error instanceof PluginError)) throw error;
          problem = error.message;
        }
      }
      const loaded = await this.#loadBy((client) => new RestInput(client, types ?? undefined, options.users), options);
      if (problem === null) return loaded;
      return { ...loaded, warnings: [...loaded.warnings, warning('not-pulled', withoutRoute(problem))] };
    } catch (error) {
      throw this.#asError(error);
    }
  }

  async #loadBy(inputOf: (client: StrapiClient) => StrapiInput, options: LoadOptions): Promise<LoadedSnapshot> {
    this.#content = null;
    this.#comparison = null;
    this.#compareAt = undecided;
    const pull = await PullFolder.make(this.#source.cacheDir, this.#digest(), options.users === false);
    try {
      const folder = pull.path;
      const input = inputOf(await this.#open({}));
      const outline = await input.outline();
      this.#noteStart(outline);
      const since = input.client.serverTime ?? Date.now();
      const { warnings } = await pullContent(input, outline, folder);
      const { access } = outline;
      const loaded = { ...(await loadSnapshot(folder, options)), ...access };
      const following = inputOf(await this.#open({ attempts }));
      this.#content = await RestContent.open(following, outline, { folder, store: loaded.store, since });
      this.#planComparison();
      const missing = warnings.map((message) => warning('not-pulled', message));
      // the files stay at the Strapi
      return { ...loaded, uploadedFiles: null, replacesFiles: true, warnings: [...loaded.warnings, ...missing] };
    } finally {
      await pull.close();
    }
  }

  /** All that posts have told so far is about to be read, and what was missing among them. */
  #noteStart({ position }: StrapiOutline): void {
    if (position === null) return;
    this.#posts.begin(position);
    this.#compareAt = undecided;
  }

  async next(): Promise<SourceChange> {
    try {
      for (;;) {
        const comparison = await this.#wait();
        const change = comparison ? this.#takeComparison(comparison) : await this.#readHints();
        if (change) return change;
      }
    } catch (error) {
      throw this.#asError(error);
    }
  }

  async #readHints(): Promise<SourceChange | null> {
    const readAt = Date.now();
    const taken = this.#hints.take();
    try {
      const changes = await this.#content!.read(taken);
      if (changes.kind === 'batch') {
        const { batch, unsettled } = changes;
        this.#readLater(unsettled);
        return batch.entities.length + batch.links.length > 0 ? { kind: 'batch', batch, readAt } : null;
      }
      // after tokens, the content is read by the next call
      if (changes.kind === 'access') this.#hints.restore(taken);
      return changeOf(changes, readAt);
    } catch (error) {
      this.#hints.restore(taken);
      return this.#reloadAfter(error, readAt);
    }
  }

  #takeComparison({ startedAt, result }: RunningComparison): SourceChange | null {
    this.#comparison = null;
    if (result!.kind === 'places') {
      this.#hints.restore(result!.places);
      this.#planComparison();
      this.#toldAt = Math.max(this.#toldAt ?? 0, startedAt);
      return null;
    }
    this.#compareAt = startedAt;
    return result!.kind === 'failure' ? this.#reloadAfter(result!.error, startedAt) : changeOf(result!, startedAt);
  }

  /** Returns the change after an error of the plugin: everything is read by REST. Throws any other error. */
  #reloadAfter(error: unknown, readAt: number): SourceChange {
    if (!(error instanceof PluginError)) throw error;
    this.#problem = error.message;
    return { kind: 'reload', reason: withoutRoute(error.message), readAt };
  }

  hint(body?: unknown): void {
    const post = pluginPostOf(body);
    if (post) this.#takePost(post);
    else {
      this.#hasWebhooks = true;
      this.#hints.add(changedPlaceOf(body));
    }
    this.#pause.end();
  }

  #takePost(post: PluginPost): void {
    const place = this.#posts.take(post);
    if (place === 'repeated') return;
    if (place === 'gap' || Object.hasOwn(post.changes, localeType)) this.#compareAt = Date.now();
    else this.#toldAt = Date.now();
    this.#hints.addPost(post);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pause.end();
    await this.#loading;
    await this.#comparison?.done;
  }

  #open(more: Partial<ClientSettings>): Promise<StrapiClient> {
    const { url, token } = this.#source;
    const { signal } = this.#closing;
    return StrapiClient.open({
      url,
      token: token ?? undefined,
      signal,
      retryPause: this.#pause,
      ...more,
      ...this.#settings,
    });
  }

  /** Names the pull of a source, so that the next pull resumes a failed one. */
  #digest(): string {
    const { url, token, types } = this.#source;
    return hash('sha256', JSON.stringify([url, token, types])).slice(0, 16);
  }

  /** Plans a comparison after a load or another comparison, unless a gap was noticed meanwhile: that one is due at once. */
  #planComparison(): void {
    if (this.#compareAt === undecided) this.#compareAt = Date.now() + this.#source.compareSeconds * 1000;
  }

  /** Waits for a comparison, which it starts when it is due, and returns it; or for hints, and returns null. */
  async #wait(): Promise<RunningComparison | null> {
    const { signal } = this.#closing;
    for (;;) {
      signal.throwIfAborted();
      if (this.#comparison === null && Date.now() >= this.#compareAt) this.#startComparison();
      if (this.#comparison?.result) return this.#comparison;
      // what is named does not wait for a comparison
      if (!this.#hints.isEmpty) {
        if (this.#hasWebhooks) await sleep(hintWindow, undefined, { signal });
        this.#hasWebhooks = false;
        return null;
      }
      if (this.#toldAt !== null && this.#comparison === null) {
        this.#onUnchanged(this.#toldAt);
        this.#toldAt = null;
      }
      const rest = this.#comparison === null ? this.#compareAt - Date.now() : Number.POSITIVE_INFINITY;
      await this.#pause.wait(Math.min(rest, 2 ** 31 - 1));
    }
  }

  #startComparison(): void {
    this.#compareAt = undecided;
    this.#comparison = new RunningComparison(this.#content!);
    void this.#comparison.done.then(() => this.#pause.end());
  }

  #readLater(documents: readonly { readonly type: string; readonly documentId: string }[]): void {
    if (documents.length === 0) return;
    const timer = setTimeout(() => {
      for (const place of documents) this.#hints.add(place);
      this.#pause.end();
    }, settleTime);
    timer.unref();
  }

  #asError(error: unknown): unknown {
    if (this.#closing.signal.aborted) return new SnapshotError(['the reader was closed']);
    if (error instanceof StrapiError && error.isAway) return new SourceAwayError(error.problems);
    return error instanceof CacheError ? new SnapshotError([error.message]) : asSnapshotError(error, this.#source.url);
  }
}

/** Returns the change that reading or comparing the content leads to, if that is no batch. */
function changeOf(result: Extract<Compared, { kind: 'access' | 'reload' }>, readAt: number): SourceChange {
  if (result.kind === 'reload') {
    return { kind: 'reload', reason: 'the content types or too many entries changed', readAt };
  }
  return { ...result, reason: 'the API tokens or the settings of users have changed', readAt };
}

function withoutRoute(problem: string): string {
  return `${problem} Until everything is read again, the content is followed by REST.`;
}
