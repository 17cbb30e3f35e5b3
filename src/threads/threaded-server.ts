import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { SourceOf } from '../config/setting-problems.ts';
import type { Content } from '../content.ts';
import type { LoadedExtension } from '../extend/load.ts';
import { attachSnapshot, type DescribedSnapshot } from '../load/described-snapshot.ts';
import { loadInThread } from '../load/load-in-thread.ts';
import { openWithExtension } from '../open.ts';
import { createRateLimitMemory } from '../server/rate-limit-store.ts';
import { LecternServer } from '../server/server.ts';
import { countReplaced } from './replaced-memory.ts';
import { ThreadGroup } from './thread-group.ts';
import { SharedUnpacking } from './unpacked-uploads.ts';

/** A server whose requests are answered by several threads. This thread coordinates them. */
export class ThreadedServer {
  readonly server: LecternServer;
  readonly #config: Config;
  readonly #group: ThreadGroup;
  readonly #uploads = new SharedUnpacking();

  /** Needs Node 22.12 and the built package. */
  constructor(config: Config, log: Logger, threads: number) {
    this.#config = config;
    const counters = config.rateLimit ? createRateLimitMemory() : undefined;
    const group = new ThreadGroup({
      config,
      log,
      counters,
      threads,
      operations: () => this.server.operations,
      upload: (...file) => this.#uploads.state(...file),
    });
    this.#group = group;
    this.server = new LecternServer(config, log, { kind: 'coordinator', counters, threads: group });
  }

  /**
   * Opens content as `openWithExtension` does, and returns when every thread answers from it. This thread checks the
   * settings against the content first.
   */
  async open(
    source: string,
    settings: Config,
    sourceOf: SourceOf,
    extension: LoadedExtension | null,
  ): Promise<Content> {
    let described!: DescribedSnapshot;
    const load = async () => {
      described = await this.#load(source);
      return attachSnapshot(described);
    };
    const content = await openWithExtension(source, settings, sourceOf, extension, load, this.#uploads.unpack);
    await this.#group.serve(described);
    return content;
  }

  /** Loads a snapshot as `reloadContent` does, and returns when every thread answers from it. */
  async reload(content: Content, source: string): Promise<boolean> {
    const started = performance.now();
    const described = await this.#load(source);
    const isNew = content.replace(attachSnapshot(described), started);
    if (isNew) countReplaced(described);
    const swapped = isNew ? this.#group.serve(described) : this.#group.serveAgain(described);
    this.#uploads.swapping(swapped);
    await swapped;
    return isNew;
  }

  #load(source: string): Promise<DescribedSnapshot> {
    const { tolerance, dialect, mediaUrl } = this.#config;
    return loadInThread(source, { tolerance, dialect, mediaUrl, isShared: true });
  }
}
