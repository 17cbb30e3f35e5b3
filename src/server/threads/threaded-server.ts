import type { Logger } from 'pino';
import type { Content } from '../../content/content.ts';
import { type Load, openWithExtension } from '../../content/open.ts';
import type { ContentEntry, Contents, ContentsChange } from '../../content/registry/contents.ts';
import type { OpenSnapshot } from '../../content/registry/open-contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { type LoadedSnapshot, type LoadSettings, loadSettingsOf } from '../../load/loaded.ts';
import { attachSnapshot, type DescribedSnapshot, describeSnapshot } from '../../load/thread/described-snapshot.ts';
import { type LoadThread, loadInThread } from '../../load/thread/load-in-thread.ts';
import type { Config } from '../../model/settings/config.ts';
import { firstVersion, versionText } from '../../store/content-version.ts';
import { createRateLimitMemory } from '../rate-limit/rate-limit-store.ts';
import { LecternServer } from '../server.ts';
import type { DescribedEntry, EntryChange } from './messages.ts';
import { countReplaced } from './replaced-memory.ts';
import { ThreadGroup } from './thread-group.ts';
import { SharedUnpacking } from './unpacked-uploads.ts';

/**
 * A server whose requests are answered by several threads. This thread coordinates them: it opens each content, which
 * checks it, and hands each change of the registry to the others.
 */
export class ThreadedServer {
  readonly server: LecternServer;
  readonly #config: Config;
  readonly #uploads = new SharedUnpacking();
  readonly #contents: SpreadContents;

  /** `areChosen` is as in `ServedContents`. Needs Node 22.12 and the built package. */
  constructor(config: Config, log: Logger, threads: number, areChosen: boolean) {
    this.#config = config;
    const counters = config.rateLimit ? createRateLimitMemory() : undefined;
    const group = new ThreadGroup({
      config,
      log,
      counters,
      threads,
      areChosen,
      entries: () => this.#contents.entries(),
      operations: () => this.server.operations,
      openTicket: (digest, entry) => this.server.tickets.open(digest, entry),
      upload: (...file) => this.#uploads.state(...file),
    });
    this.#contents = new SpreadContents((changes) => {
      const changed = group.changeContents(changes);
      this.#uploads.swapping(changed);
      return changed;
    });
    this.server = new LecternServer(config, log, { kind: 'coordinator', counters, threads: group });
  }

  /** Opens a content in shared memory. Without `thread`, a thread of its own loads the snapshot. */
  readonly open: OpenSnapshot = async (
    source,
    settings,
    sourceOf,
    extension,
    thread,
    around = (load: Load<string>) => load,
  ) => {
    const load = around(async (path, options) => attachSnapshot(await this.#load(path, options, thread)));
    const parts = { unpack: this.#uploads.unpack, onReleased: countReplaced };
    const content = await openWithExtension(source, settings, sourceOf, extension, load, parts);
    this.#contents.follow(content);
    return content;
  };

  /** Returns when every thread answers from these contents. Later changes of the registry follow. */
  async serveContents(served: ServedContents): Promise<void> {
    await this.#contents.serve(served.contents);
    this.server.serveContents(served);
  }

  /** Loads a snapshot in a thread of its own, for a content that serves another one. Rejects with a SnapshotError. */
  async loadAgain(source: string): Promise<LoadedSnapshot> {
    return attachSnapshot(await this.#load(source, this.#config, null));
  }

  async #load(source: string, settings: LoadSettings, thread: LoadThread | null): Promise<DescribedSnapshot> {
    const options = { ...loadSettingsOf(settings), isShared: true };
    const described = await (thread ? thread.load(source, options) : loadInThread(source, options));
    return { ...described, version: described.version ?? firstVersion() };
  }
}

/** Sends changes to every thread. Returns when all have made them. */
type Send = (changes: readonly EntryChange[]) => Promise<void>;

/** Keeps the contents of the threads that answer requests equal to those of the coordinating thread. */
export class SpreadContents {
  readonly #send: Send;
  #contents: Contents | null = null;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Sends the store of a content again after each compaction, while the content is served. */
  follow(content: Content): void {
    content.history.served.changes.listenToCompactions(() => {
      const entry = this.#contents?.all.find((each) => each.content === content);
      if (!entry) return;
      const { content: store } = describe(content);
      const version = versionText(content.history.version);
      void this.#send([{ kind: 'rebase', name: entry.name, store, version }]);
    });
  }

  /** Returns when every thread answers from these contents. Later changes of the registry follow. */
  async serve(contents: Contents): Promise<void> {
    this.#contents = contents;
    contents.onChange((change) => this.#send([described(change)]));
    await this.#send(this.entries().map((entry) => ({ kind: 'set', entry })));
  }

  /** Returns what each content serves: its base and the changes since. */
  entries(): DescribedEntry[] {
    return (this.#contents?.all ?? []).map(describeEntry);
  }
}

function described(change: ContentsChange): EntryChange {
  if (change.kind === 'delete') return change;
  if (change.kind === 'set') return { kind: 'set', entry: describeEntry(change.entry) };
  const { name, content } = change.entry;
  if (change.kind === 'pin') return { kind: 'pin', name, pinned: content && describePinned(content) };
  return { kind: 'apply', name, change: change.change };
}

function describeEntry({ content, preview, source, ...entry }: ContentEntry): DescribedEntry {
  const described = { snapshot: content && describe(content), pinned: content && describePinned(content) };
  return { ...entry, ...described, ...(preview && { changes: preview.changes }) };
}

function describe({ history }: Content): DescribedSnapshot {
  return describeSnapshot(history.loaded);
}

function describePinned({ history, pinned }: Content): DescribedSnapshot | null {
  return pinned && describeSnapshot(history.active.loaded);
}
