import type { Logger } from 'pino';
import { conflict, ForbiddenError, NotFoundError, type RequestError } from '../../core/errors.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import type { ContentsSettings } from '../../model/settings/contents.ts';
import type { Content } from '../content.ts';
import type { ChangeWriter } from '../live/change-writer.ts';
import { PreviewApplication, type PreviewKeeping } from '../previews/apply-preview.ts';
import { isPreview, type MadePreview, type PreviewParts } from '../previews/made-preview.ts';
import { OpenPreviews } from '../previews/open-previews.ts';
import { Preview } from '../previews/preview.ts';
import { PreviewUpdates } from '../previews/preview-updates.ts';
import { type ContentEntry, type Contents, createEntry } from './contents.ts';
import { type ContentsFolder, keepSource, type PutSource } from './contents-folder.ts';
import { ContentsManifest, hasExpired } from './contents-manifest.ts';
import type { PutContent, PutOptions } from './put-content.ts';
import { asRequestError, PutRules } from './put-rules.ts';
import { restoreContents } from './restore-contents.ts';

/** Loads a snapshot that was put. Rejects with a SnapshotError or a ConfigError. */
export type OpenStored = (path: string, put: PutContent) => Promise<Content>;

export interface StoredOptions {
  readonly settings: Pick<ContentsSettings, 'most' | 'uploadBytes'>;
  readonly prefix: string;
  readonly log: Logger;
  readonly open: OpenStored;
  /** What previews are made with, besides the contents. */
  readonly previews: Pick<PreviewParts, 'settings' | 'extension'>;
}

type Doing = 'put' | 'deleted' | 'changed';

/** How often contents whose lifetime has ended are removed, in milliseconds. */
const expiryInterval = 1000;

/**
 * Contents that are put and deleted at run time, in the registry and in a folder that keeps them over a restart. A
 * change that fails leaves both as they are.
 */
export class StoredContents {
  readonly #contents: Contents;
  readonly #folder: ContentsFolder | null;
  readonly #options: StoredOptions;
  readonly #rules: PutRules;
  readonly #manifest: ContentsManifest;
  /** The running operation on each content, by its name. */
  readonly #busy = new Map<string, Doing>();
  /** Loads one snapshot at a time, so that the memory that loading takes has a bound. */
  readonly #loads = new SerialQueue();
  readonly #previews: PreviewParts;
  readonly #updates = new WeakMap<Preview, PreviewUpdates>();
  readonly #applications = new WeakMap<Preview, PreviewApplication>();
  readonly #timer: NodeJS.Timeout;

  /** Without a folder, nothing can be put. */
  constructor(contents: Contents, folder: ContentsFolder | null, options: StoredOptions) {
    this.#contents = contents;
    this.#folder = folder;
    this.#manifest = new ContentsManifest(folder);
    this.#options = options;
    const open = new OpenPreviews(options.previews.settings.contents.previewBytes);
    this.#previews = { ...options.previews, open, baseOf: (name) => contents.get(name) };
    this.#rules = new PutRules(contents, options.prefix, options.settings.most);
    this.#timer = setInterval(() => void this.removeExpired(), expiryInterval).unref();
  }

  /** Serves the contents of the manifest. A content that does not load is logged, and keeps its name and its file. */
  async restore(open: OpenStored): Promise<void> {
    if (!this.#folder) return;
    const kept = await this.#manifest.read(Date.now());
    await this.#folder.removeOthers(kept);
    const { log } = this.#options;
    await restoreContents(kept, (put) => this.#entryOf(put, open), {
      contents: this.#contents,
      rules: this.#rules,
      log,
    });
  }

  /** Loads what was put. The changes of a preview are not checked before its first use. */
  async #entryOf(put: PutContent, open: OpenStored): Promise<ContentEntry> {
    const folder = this.#folder!;
    const parts = { name: put.name, error: null, put };
    if (!isPreview(put)) return createEntry({ ...parts, content: await open(await folder.locate(put), put) });
    const preview = new Preview(put, await folder.readChanges(put), this.#previews);
    return createEntry({ ...parts, content: null, preview });
  }

  /**
   * Serves a snapshot or a preview under a name from now on, and keeps it over a restart. Returns whether the name is
   * new. Throws a RequestError if that is not possible; what was served under the name is then still served.
   */
  async put(name: string, options: PutOptions, source: PutSource): Promise<{ entry: ContentEntry; isNew: boolean }> {
    const folder = this.#folder;
    if (!folder) throw new ForbiddenError('No content can be put: set contents.folder');
    this.#rules.checkName(name);
    return this.#alone(name, 'put', async () => {
      const received = await keepSource(folder, name, source, this.#options.settings.uploadBytes).catch(asRequestError);
      const { tokens, lifetime } = options;
      const now = Date.now();
      const expires = lifetime === undefined ? null : new Date(now + lifetime * 1000).toISOString();
      const put = { name, ...received, tokens, putAt: new Date(now).toISOString(), expires };
      try {
        return await this.#serve(put);
      } catch (error) {
        // a restart serves what the manifest names
        if (this.#manifest.get(name) !== put) await folder.remove(put);
        return asRequestError(error);
      }
    });
  }

  async #serve(put: PutContent): Promise<{ entry: ContentEntry; isNew: boolean }> {
    this.#rules.checkBase(put);
    const entry = await this.#entryOf(put, (path) => this.#loads.run(() => this.#options.open(path, put)));
    // rejects changes that do not fit
    await entry.preview?.check().catch((error: unknown) => {
      // the base may have been deleted meanwhile
      this.#rules.checkBase(put);
      throw error;
    });
    // with what the base shows where they change it
    if (entry.preview) await this.#folder!.writeChanges(put, entry.preview.changes);
    const earlier = this.#contents.get(put.name);
    const keep = (stored: Map<string, PutContent>) => {
      // the base may have changed, or another content got the last place, while this one was loaded
      this.#rules.checkBase(put);
      this.#rules.checkCount(put.name);
      stored.set(put.name, put);
      return true;
    };
    try {
      await this.#manifest.change(keep, () => this.#contents.set(entry));
    } catch (error) {
      if (this.#contents.get(put.name) !== entry) void entry.content?.close();
      throw error;
    } finally {
      this.#retireUnlessServed(earlier);
    }
    this.#options.log.info({ content: put.name, snapshot: entry.content?.summary.version }, 'content put');
    return { entry, isNew: !earlier };
  }

  /** Returns the object that adds changes to a preview. */
  updatesOf(entry: ContentEntry, preview: Preview): PreviewUpdates {
    const known = this.#updates.get(preview);
    if (known) return known;
    const created = new PreviewUpdates(preview, (made, onKept) =>
      this.#alone(entry.name, 'changed', () => this.#keepChanges(entry, preview, made, onKept)).catch(asRequestError),
    );
    this.#updates.set(preview, created);
    return created;
  }

  /** Returns the object that applies the changes of a preview to its base. */
  applicationOf(entry: ContentEntry, preview: Preview): PreviewApplication {
    const known = this.#applications.get(preview);
    if (known) return known;
    const { log } = this.#options;
    const alone: PreviewKeeping['alone'] = (base, task) =>
      this.#alone(entry.name, 'changed', async () => {
        if (this.#contents.get(entry.name) !== entry || this.#contents.get(base.name) !== base) throw replaced(entry);
        // a content that is given at the start stays
        return base.put ? await this.#alone(base.name, 'changed', task) : await task();
      });
    const created = new PreviewApplication(preview, this.updatesOf(entry, preview), {
      log,
      alone,
      write: (changes) => this.#folder!.writeChanges(preview.put, changes).catch(asRequestError),
      serve: async (changes) => {
        preview.take(changes);
        await this.#contents.update(entry);
      },
    });
    this.#applications.set(preview, created);
    return created;
  }

  /** Finishes the applications of previews that a crash has interrupted. `writerOf` returns what changes a content. */
  async settle(writerOf: (base: ContentEntry) => ChangeWriter | null): Promise<void> {
    for (const entry of this.#contents.all) {
      const { preview } = entry;
      const base = preview && this.#contents.get(preview.put.preview.base);
      const [content, writer] = [base?.content, base && writerOf(base)];
      if (preview && base && content && writer) {
        await this.applicationOf(entry, preview).settle({ entry: base, content, writer });
      }
    }
  }

  async #keepChanges(entry: ContentEntry, preview: Preview, made: MadePreview, onKept: () => void): Promise<void> {
    if (this.#contents.get(entry.name) !== entry) throw replaced(entry);
    await this.#folder!.writeChanges(preview.put, made.changes);
    preview.take(made.changes, made);
    onKept();
    await this.#contents.update(entry);
  }

  /**
   * Removes a content from the registry, and from the folder if it was put. A content whose name is not valid any more
   * is only in the folder, and is removed there. Throws a RequestError.
   */
  async delete(name: string): Promise<void> {
    const entry = this.#contents.get(name);
    const put = this.#manifest.get(name);
    if (!entry && !put) throw new NotFoundError(`There is no content "${name}"`);
    const remove = () => (entry ? this.#remove(entry, () => this.#rules.checkDeletion(entry)) : this.#forget(put!));
    await this.#alone(name, 'deleted', remove).catch(asRequestError);
    this.#options.log.info({ content: name }, 'content deleted');
  }

  /** Removes contents whose lifetime has ended. A failed removal is tried again later. */
  async removeExpired(now = Date.now()): Promise<void> {
    for (const put of this.#manifest.all) {
      // another content may have been put while an earlier one was removed
      const isStored = this.#manifest.get(put.name) === put;
      if (!isStored || !hasExpired(put, now) || this.#busy.has(put.name)) continue;
      const entry = this.#contents.get(put.name);
      try {
        const remove = () => (entry?.put === put ? this.#remove(entry) : this.#forget(put));
        await this.#alone(put.name, 'deleted', remove);
        this.#options.log.info({ content: put.name }, 'content removed: its lifetime has ended');
      } catch (error) {
        this.#options.log.warn(
          { content: put.name },
          `an expired content cannot be removed: ${(error as Error).message}`,
        );
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** `check` throws if the entry cannot be removed. It is called when no other content is being added or removed. */
  async #remove(entry: ContentEntry, check = () => {}): Promise<void> {
    const remove = (stored: Map<string, PutContent>) => {
      check();
      // a content of the same name that was given at the start has no record
      return stored.get(entry.name) === entry.put && stored.delete(entry.name);
    };
    try {
      await this.#manifest.change(remove, () => this.#contents.delete(entry.name));
    } finally {
      this.#retireUnlessServed(entry);
    }
  }

  /** Removes a content from the folder that is not in the registry. */
  async #forget(put: PutContent): Promise<void> {
    await this.#manifest.change((stored) => stored.delete(put.name));
    await this.#folder!.remove(put);
  }

  /** Retires an entry that the registry does not hold any more, whether or not all threads have followed. */
  #retireUnlessServed(entry: ContentEntry | undefined): void {
    if (entry && this.#contents.get(entry.name) !== entry) void this.#retire(entry);
  }

  /** Frees what an entry holds besides memory, after the requests for its uploaded files have ended. */
  async #retire(entry: ContentEntry): Promise<void> {
    entry.preview?.release();
    await entry.content?.close();
    if (entry.put) await this.#folder?.remove(entry.put).catch(() => {});
  }

  /** Rejects with a RequestError while another operation on the content runs. */
  async #alone<T>(name: string, doing: Doing, run: () => Promise<T>): Promise<T> {
    const other = this.#busy.get(name);
    if (other) throw conflict(`"${name}" is being ${other}: try again when that has ended`);
    this.#busy.set(name, doing);
    try {
      return await run();
    } finally {
      this.#busy.delete(name);
    }
  }
}

function replaced({ name }: ContentEntry): RequestError {
  return conflict(`"${name}" or its base was put again or deleted meanwhile`);
}
