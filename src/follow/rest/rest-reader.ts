import { hash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PluginPost, pluginPostOf } from '../../content/registry/plugin-post.ts';
import { SnapshotError, SourceAwayError } from '../../core/errors.ts';
import { warning } from '../../core/problems.ts';
import { CacheError, cacheFolder, cacheSubfolder } from '../../http/files/cache-folder.ts';
import { makeCopyFolder } from '../../load/database/copy-folder.ts';
import { asSnapshotError } from '../../load/files.ts';
import { loadSnapshot } from '../../load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../load/loaded.ts';
import { localeType } from '../../model/schema/schema.ts';
import { InterruptiblePause } from '../pauses.ts';
import type { OnUnchanged, RestSource, SourceChange, SourceReader } from '../source-reader.ts';
import { pullContent } from './pull-content.ts';
import { changedPlaceOf, Hints } from './refresh/hints.ts';
import { PostOrder } from './refresh/post-order.ts';
import { RestContent, readOutline } from './refresh/rest-content.ts';
import { type ClientSettings, StrapiClient } from './strapi-client.ts';
import { StrapiError } from './strapi-error.ts';

/** Webhooks that arrive within this time are read together. Posts of the plugin are read at once. In milliseconds. */
const hintWindow = 50;
/** After this time, documents that changed while they were requested are requested again. In milliseconds. */
const settleTime = 1000;
/** The time of the next comparison while everything is being read. */
const undecided = Number.POSITIVE_INFINITY;
/** Maximum attempts for requests while older content is served, so that failures show early. */
const attempts = 3;

/** Reads a Strapi over its REST API: pulls everything, then what webhooks and posts name and comparisons find. */
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
  /** Whether the comparison that is due has let hints pass. */
  #isOvertaken = false;
  #content: RestContent | null = null;
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
    this.#content = null;
    this.#compareAt = undecided;
    const { cacheDir, types } = this.#source;
    const from = types ?? undefined;
    let pull: PullFolder | null = null;
    try {
      pull = await PullFolder.make(cacheDir, this.#digest(), options.users === false);
      const folder = pull.path;
      const client = await this.#open({});
      const outline = await readOutline(client, from, options.users);
      const since = client.serverTime ?? Date.now();
      const { warnings } = await pullContent(client, outline.types, folder);
      const loaded = await loadSnapshot(folder, options);
      const following = await this.#open({ attempts });
      this.#content = await RestContent.open(following, from, outline, { folder, store: loaded.store, since });
      this.#planComparison();
      const missing = warnings.map((message) => warning('not-pulled', message));
      // the files stay at the Strapi
      return { ...loaded, uploadedFiles: null, replacesFiles: true, warnings: [...loaded.warnings, ...missing] };
    } catch (error) {
      throw this.#asError(error);
    } finally {
      await pull?.close();
    }
  }

  async next(): Promise<SourceChange> {
    try {
      for (;;) {
        const isComparison = await this.#wait();
        if (isComparison) this.#compareAt = undecided;
        const readAt = Date.now();
        const taken = this.#hints.take();
        try {
          const { batch, unsettled } = await this.#content!.read(taken, isComparison);
          this.#readLater(unsettled);
          if (isComparison) this.#planComparison();
          if (batch === null)
            return { kind: 'reload', reason: 'the content types or too many entries changed', readAt };
          if (batch.entities.length + batch.links.length > 0) return { kind: 'batch', batch, readAt };
          if (isComparison) this.#onUnchanged(readAt);
        } catch (error) {
          this.#hints.restore(taken);
          if (isComparison) this.#compareAt = Date.now();
          throw error;
        }
      }
    } catch (error) {
      throw this.#asError(error);
    }
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

  /**
   * Waits for hints or the time of a comparison. Returns whether everything is compared now. A comparison that is due lets
   * the hints pass that are there, once.
   */
  async #wait(): Promise<boolean> {
    const { signal } = this.#closing;
    for (;;) {
      signal.throwIfAborted();
      const isDue = Date.now() >= this.#compareAt;
      if (!this.#hints.isEmpty) {
        if (this.#hasWebhooks) await sleep(hintWindow, undefined, { signal });
        this.#hasWebhooks = false;
        // a comparison takes longer than what is named
        this.#isOvertaken = isDue && !this.#isOvertaken;
        return isDue && !this.#isOvertaken;
      }
      this.#isOvertaken = false;
      if (isDue) return true;
      if (this.#toldAt !== null) this.#onUnchanged(this.#toldAt);
      this.#toldAt = null;
      const rest = this.#compareAt - Date.now();
      await this.#pause.wait(Math.min(rest, 2 ** 31 - 1));
    }
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

/**
 * A private folder for a pull. Pulls of the same source by several readers or processes have a folder each. If there is a
 * cache folder, it keeps the rows of a failed pull for the next one.
 */
class PullFolder {
  /** The path at which the content appears. It does not exist. */
  readonly path: string;
  readonly #folder: string;
  readonly #kept: string | null;

  private constructor(folder: string, kept: string | null) {
    this.#folder = folder;
    this.#kept = kept;
    this.path = join(folder, 'content');
  }

  /**
   * Makes the folder. `name` is that of the source. Pulls without users begin anew where one with users has failed. Rejects
   * with a CacheError or a system error.
   */
  static async make(cacheDir: string | undefined, name: string, withoutUsers: boolean): Promise<PullFolder> {
    const cache = cacheDir === undefined ? null : await cacheSubfolder(await cacheFolder(cacheDir), 'pulls');
    const made = await makeCopyFolder('pull', cache ?? tmpdir());
    const kept = cache && join(cache, `${name}${withoutUsers ? '.no-users' : ''}.pull`);
    if (cache && withoutUsers) await rm(join(cache, `${name}.pull`), { recursive: true, force: true });
    const folder = new PullFolder(made, kept);
    // only one of several readers takes the folder
    if (folder.#kept !== null) await rename(folder.#kept, folder.#work).catch(ignoreMissing);
    return folder;
  }

  /** Removes the folder, but keeps the rows of a failed pull. */
  async close(): Promise<void> {
    // missing after success; of two failed pulls, one is kept
    if (this.#kept !== null) await rename(this.#work, this.#kept).catch(() => {});
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The folder in which `pullContent` keeps the rows that it has read. */
  get #work(): string {
    return `${this.path}.pull`;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
