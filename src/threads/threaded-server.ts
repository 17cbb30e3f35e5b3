import type { Logger } from 'pino';
import type { Batch } from '../changes/batch.ts';
import type { Config } from '../config/config.ts';
import type { Content } from '../content.ts';
import type { ContentEntry, ContentsChange } from '../contents/contents.ts';
import type { OpenSnapshot } from '../contents/open-contents.ts';
import type { ServedContents } from '../contents/served-contents.ts';
import { attachSnapshot, type DescribedSnapshot } from '../load/described-snapshot.ts';
import { type LoadThread, loadInThread } from '../load/load-in-thread.ts';
import { openWithExtension } from '../open.ts';
import { createRateLimitMemory } from '../server/rate-limit-store.ts';
import { LecternServer } from '../server/server.ts';
import { firstVersion } from '../store/content-version.ts';
import { neverByItself } from './described-contents.ts';
import type { DescribedEntry, EntryChange } from './messages.ts';
import { ThreadGroup } from './thread-group.ts';
import { SharedUnpacking } from './unpacked-uploads.ts';

/** A snapshot as it was loaded, and the batches that its content has applied since, in order. */
interface ServedSnapshot {
  readonly snapshot: DescribedSnapshot;
  readonly batches: Batch[];
}

/**
 * A server whose requests are answered by several threads. This thread coordinates them: it opens each content, which
 * checks it, and hands each change of the registry to the others.
 */
export class ThreadedServer {
  readonly server: LecternServer;
  readonly #config: Config;
  readonly #group: ThreadGroup;
  readonly #uploads = new SharedUnpacking();
  /** What each content serves. */
  readonly #served = new WeakMap<Content, ServedSnapshot>();

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
      operations: () => this.server.operations,
      upload: (...file) => this.#uploads.state(...file),
    });
    this.#group = group;
    this.server = new LecternServer(config, log, { kind: 'coordinator', counters, threads: group });
  }

  /** Opens a content in shared memory. Without `thread`, a thread of its own loads the snapshot. */
  readonly open: OpenSnapshot = async (source, settings, sourceOf, extension, thread) => {
    let described!: DescribedSnapshot;
    const load = async () => {
      described = await this.#load(source, thread);
      return attachSnapshot(described);
    };
    const parts = { unpack: this.#uploads.unpack, compactions: neverByItself };
    const content = await openWithExtension(source, settings, sourceOf, extension, load, parts);
    this.#served.set(content, { snapshot: described, batches: [] });
    return content;
  };

  /** Returns when every thread answers from these contents. Later changes of the registry follow. */
  async serveContents(served: ServedContents): Promise<void> {
    const { contents, live } = served;
    this.#served.get(contents.first.content!)!.batches.push(...live!.replayed);
    contents.onChange((change) => this.#change([change]));
    await this.#change(contents.all.map((entry) => ({ kind: 'set', entry })));
    this.server.serveContents(served);
  }

  /**
   * Loads the snapshot of a content again, and returns when every thread answers from it. If it is not new, the store
   * stays, and only the uploaded files may change.
   */
  async reload(
    { contents, live }: ServedContents,
    entry: ContentEntry,
    source: string,
    discardsChanges: boolean,
  ): Promise<boolean> {
    const started = performance.now();
    const snapshot = await this.#load(source, null);
    const content = entry.content!;
    const spread = (isNew: boolean) => {
      const earlier = this.#served.get(content)!;
      const kept = { ...earlier, snapshot: { ...snapshot, content: earlier.snapshot.content } };
      this.#served.set(content, isNew ? { snapshot, batches: [] } : kept);
      return contents.update(entry);
    };
    return live!.of(entry)!.reload(attachSnapshot(snapshot), { started, discardsChanges, spread });
  }

  #change(changes: readonly ContentsChange[]): Promise<void> {
    const changed = this.#group.changeContents(changes.map((change) => this.#describe(change)));
    this.#uploads.swapping(changed);
    return changed;
  }

  #describe(change: ContentsChange): EntryChange {
    if (change.kind === 'delete') return change;
    const { content, ...entry } = change.entry;
    if (change.kind === 'set') return { kind: 'set', entry: { ...entry, ...this.#describeContent(content) } };
    const { batch, version } = change;
    // a thread that starts from now on gets it with the snapshot
    this.#served.get(content!)!.batches.push(batch);
    return { kind: 'apply', name: entry.name, batch, version };
  }

  #describeContent(content: Content | null): Pick<DescribedEntry, 'snapshot' | 'batches'> {
    if (!content) return { snapshot: null, batches: [] };
    const { snapshot, batches } = this.#served.get(content)!;
    return { snapshot: { ...snapshot, version: content.base }, batches };
  }

  async #load(source: string, thread: LoadThread | null): Promise<DescribedSnapshot> {
    const { tolerance, dialect, mediaUrl } = this.#config;
    const options = { tolerance, dialect, mediaUrl, isShared: true };
    const described = await (thread ? thread.load(source, options) : loadInThread(source, options));
    return { ...described, version: firstVersion() };
  }
}
