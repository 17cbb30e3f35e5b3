import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { SourceOf } from '../config/setting-problems.ts';
import type { Content } from '../content.ts';
import { attachSnapshot, type DescribedSnapshot } from '../load/described-snapshot.ts';
import { loadInThread } from '../load/load-in-thread.ts';
import { openContent } from '../open.ts';
import { createRequestCounters } from '../server/request-counts.ts';
import { LecternServer } from '../server/server.ts';
import { ThreadGroup } from './thread-group.ts';

/** A server whose requests are answered by several threads. This thread coordinates them. */
export class ThreadedServer {
  readonly server: LecternServer;
  readonly #config: Config;
  readonly #group: ThreadGroup;

  /** Needs Node 22.12 and the built package. */
  constructor(config: Config, log: Logger, threads: number) {
    this.#config = config;
    const counters = createRequestCounters();
    const group = new ThreadGroup({ config, log, counters, threads, operations: () => this.server.operations });
    this.#group = group;
    this.server = new LecternServer(config, log, { counters, threads: group });
  }

  /**
   * Loads a snapshot into shared memory as `openContent` does, and returns when every thread answers from it. This thread
   * checks the settings against the content first.
   */
  async open(source: string, sourceOf: SourceOf): Promise<Content> {
    let described: DescribedSnapshot | null = null;
    const content = await openContent(source, this.#config, sourceOf, async (path, options) => {
      const { tolerance, dialect, mediaUrl } = options;
      described = await loadInThread(path, { tolerance, dialect, mediaUrl, isShared: true });
      return attachSnapshot(described);
    });
    await this.#group.serve(described!);
    return content;
  }
}
