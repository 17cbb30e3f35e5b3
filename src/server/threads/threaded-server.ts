import type { Logger } from 'pino';
import { type Load, openWithExtension } from '../../content/open.ts';
import type { OpenSnapshot } from '../../content/registry/open-contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { type LoadedSnapshot, type LoadSettings, loadSettingsOf } from '../../load/loaded.ts';
import { attachSnapshot, type DescribedSnapshot } from '../../load/thread/described-snapshot.ts';
import { type LoadThread, loadInThread } from '../../load/thread/load-in-thread.ts';
import type { Config } from '../../model/settings/config.ts';
import { firstVersion } from '../../store/content-version.ts';
import { createRateLimitMemory } from '../rate-limit/rate-limit-store.ts';
import { LecternServer } from '../server.ts';
import { countReplaced } from './replaced-memory.ts';
import { SpreadContents } from './spread-contents.ts';
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
    return { ...described, version: firstVersion() };
  }
}
