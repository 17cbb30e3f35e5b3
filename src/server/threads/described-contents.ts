import { Content } from '../../content/content.ts';
import { openExtension } from '../../content/open.ts';
import type { PutPreview } from '../../content/previews/made-preview.ts';
import { OpenPreviews } from '../../content/previews/open-previews.ts';
import { Preview } from '../../content/previews/preview.ts';
import type { PreviewChanges } from '../../content/previews/preview-changes.ts';
import { type ContentEntry, Contents } from '../../content/registry/contents.ts';
import { settingsOf } from '../../content/registry/put-content.ts';
import { shownStoreInSteps } from '../../content/versions/version.ts';
import type { VersionHistory } from '../../content/versions/version-history.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns } from '../../core/steps.ts';
import type { LoadedExtension } from '../../engine/additions/load.ts';
import type { Unpack } from '../../http/files/open-uploads.ts';
import { attachStoreOf } from '../../load/image/describe-content.ts';
import { attachSnapshot, type DescribedSnapshot } from '../../load/thread/described-snapshot.ts';
import type { Config } from '../../model/settings/config.ts';
import { versionText } from '../../store/content-version.ts';
import { storeBytes } from '../../store/own-bytes.ts';
import { prepareDigests } from '../../store/writer/rows/row-digest.ts';
import type { DescribedEntry, EntryChange } from './messages.ts';
import { countReplaced } from './replaced-memory.ts';

export interface DescribedOptions {
  /** The settings of this thread. */
  readonly config: Config;
  readonly unpack: Unpack;
  /** Called with the registry after the first changes. */
  serve(contents: Contents): void;
}

/** The contents of a thread that answers requests, as the coordinating thread describes them. */
export class DescribedContents {
  readonly #options: DescribedOptions;
  #contents: Contents | null = null;
  readonly #openPreviews: OpenPreviews;
  #extension: Promise<LoadedExtension | null> | null = null;
  readonly #calls = new SerialQueue();

  constructor(options: DescribedOptions) {
    this.#options = options;
    this.#openPreviews = new OpenPreviews(options.config.contents.previewBytes);
  }

  /**
   * Makes the changes after those of earlier calls, one after the other. The first adds a content. Each is prepared in
   * turns of the event loop, and made in one turn.
   */
  change(changes: readonly EntryChange[]): Promise<void> {
    return this.#calls.run(async () => {
      this.#extension ??= openExtension(this.#options.config);
      await prepareDigests();
      await this.#make(changes, await this.#extension);
    });
  }

  async #make(changes: readonly EntryChange[], extension: LoadedExtension | null): Promise<void> {
    const isFirst = this.#contents === null;
    for (const change of changes) {
      if (change.kind === 'set') await this.#set(change.entry, extension);
      else if (change.kind === 'apply') await runInTurns(this.#historyOf(change.name).repeatInSteps(change.change));
      else if (change.kind === 'rebase') await this.#rebase(change);
      else if (change.kind === 'pin') await servePinned(this.#historyOf(change.name), change.pinned);
      else this.#delete(change.name);
    }
    if (isFirst) this.#options.serve(this.#contents!);
  }

  async #set(
    { snapshot, pinned, changes, ...entry }: DescribedEntry,
    extension: LoadedExtension | null,
  ): Promise<void> {
    const earlier = this.#contents?.get(entry.name);
    if (earlier?.id === entry.id) {
      if (changes) return earlier.preview!.take(changes);
      if (snapshot && earlier.content) return replaceSnapshot(earlier.content, snapshot);
    }
    const content = snapshot && (await this.#open(entry, snapshot, extension));
    if (pinned) await servePinned(content!.history, pinned);
    const preview = changes && this.#createPreview(entry, changes, extension);
    const created: ContentEntry = { ...entry, content, preview };
    if (this.#contents) void this.#contents.set(created);
    else this.#contents = new Contents(created, this.#options.config.contents.domain);
    retire(earlier);
  }

  async #open(
    { put }: Pick<ContentEntry, 'put'>,
    snapshot: DescribedSnapshot,
    extension: LoadedExtension | null,
  ): Promise<Content> {
    const started = performance.now();
    const { config, unpack } = this.#options;
    const loaded = attachSnapshot(snapshot);
    const settings = settingsOf(put, config);
    return new Content(loaded, settings, started, {
      shown: await runInTurns(shownStoreInSteps(loaded.store, settings)),
      extension,
      unpack,
      compactions: neverByItself,
      // the coordinating thread sends the version to pin
      versionCount: 1,
    });
  }

  #createPreview(
    { put }: Pick<ContentEntry, 'put'>,
    changes: PreviewChanges,
    extension: LoadedExtension | null,
  ): Preview {
    const { config: settings } = this.#options;
    const baseOf = (name: string) => this.#contents!.get(name);
    return new Preview(put as PutPreview, changes, { settings, extension, open: this.#openPreviews, baseOf });
  }

  /** Throws if the content is not the same. */
  async #rebase({ name, store: described, version }: EntryChange & { kind: 'rebase' }): Promise<void> {
    const history = this.#historyOf(name);
    const latest = versionText(history.version);
    if (latest !== version) throw new Error(`${name} is at ${latest}, expected ${version}`);
    const bytes = history.storeBytes;
    const store = attachStoreOf(history.loaded.store.schema, described);
    history.rebase(store, await runInTurns(shownStoreInSteps(store, history.settings)));
    countReplaced(bytes);
  }

  /** Of a content that is served. */
  #historyOf(name: string): VersionHistory {
    return this.#contents!.get(name)!.content!.history;
  }

  #delete(name: string): void {
    const earlier = this.#contents!.get(name);
    void this.#contents!.delete(name);
    retire(earlier);
  }
}

/** The coordinating thread compacts for all. */
const neverByItself = { limits: null };

/** Serves the latest version if there is no pinned one. */
async function servePinned(history: VersionHistory, pinned: DescribedSnapshot | null): Promise<void> {
  const earlier = history.pinned && storeBytes(history.active.loaded.store);
  if (pinned) await runInTurns(history.holdInSteps({ loaded: attachSnapshot(pinned) }));
  else history.served.unpin();
  if (earlier !== null) countReplaced(earlier);
}

async function replaceSnapshot({ history }: Content, snapshot: DescribedSnapshot): Promise<void> {
  const { version } = snapshot;
  const bytes = history.storeBytes;
  const loaded = attachSnapshot(snapshot);
  // the coordinating thread decides about versions
  const isNew = await runInTurns(history.replaceInSteps(loaded, performance.now(), version !== undefined));
  if (isNew) countReplaced(bytes);
}

/** Frees the content or preview of an entry that is no longer served. */
function retire(entry: ContentEntry | undefined): void {
  entry?.preview?.release();
  if (!entry?.content) return;
  countReplaced(entry.content.history.storeBytes);
  void entry.content.close();
}
