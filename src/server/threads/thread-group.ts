import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backOff } from '../../core/back-off.ts';
import type { Config } from '../../model/settings/config.ts';
import { ListenError, listen, mainFlags } from '../connections/listening.ts';
import { logDestination } from '../log/log.ts';
import type { Samples } from '../metrics/metrics.ts';
import type { ThreadFigures } from '../metrics/server-state.ts';
import type { AnsweringThreads, Operations } from '../operations.ts';
import type { RateLimitMemory } from '../rate-limit/rate-limit-store.ts';
import type { OpenTicket } from '../tickets/tickets.ts';
import { addUpMetrics, keepContents, retireCounters } from './add-up-metrics.ts';
import { AnsweringThread } from './answering-thread.ts';
import type { CoordinatorFunctions, DescribedEntry, EntryChange } from './messages.ts';
import { ServedStores } from './replaced-memory.ts';

/** Pauses before a thread is replaced. */
const pauses = { first: 100, last: 30_000 };

/** A thread that has run this long is replaced after the first pause, in milliseconds. */
const steadyAfter = 60_000;

interface GroupOptions {
  readonly config: Config;
  readonly log: Logger;
  /** The counters of the rate limit, if there is one. */
  readonly counters: RateLimitMemory | undefined;
  readonly threads: number;
  /** As in `ServedContents`. */
  readonly areChosen: boolean;
  /** Returns what each content serves: its base and all changes so far. */
  entries(): readonly DescribedEntry[];
  /** The state of the process. Called when the first thread listens or later. */
  operations(): Operations;
  readonly upload: CoordinatorFunctions['upload'];
  readonly openTicket: OpenTicket;
}

/**
 * The threads that answer requests, each with its own HTTP server on the one port and over the same stores. Replaces
 * threads that end.
 */
export class ThreadGroup implements AnsweringThreads {
  readonly #options: GroupOptions;
  readonly #functions: CoordinatorFunctions;
  readonly #threads = new Map<number, AnsweringThread>();
  /** Numbers of the threads that listen. */
  readonly #listening = new Set<number>();
  #port: number;
  #address = '';
  readonly #stores = new ServedStores();
  #restarted = 0;
  /** The counters of threads that have ended. */
  #retired: Samples = [];
  /** How often in a row a thread has ended early, by its number. */
  readonly #earlyEnds = new Map<number, number>();
  #isStopping = false;

  constructor(options: GroupOptions) {
    this.#options = options;
    this.#port = options.config.port;
    const destination = logDestination(options.config.log.format);
    this.#functions = {
      log: (line) => void destination.write(line),
      upload: options.upload,
      openTicket: async (digest, entry) => options.openTicket(digest, entry),
      readiness: async () => options.operations().readiness(),
      freshness: async (content) => options.operations().freshness(content),
      metrics: () => options.operations().metrics!(),
    };
  }

  get address(): string {
    return this.#address;
  }

  get figures(): ThreadFigures {
    return { answering: this.#listening.size, restarted: this.#restarted };
  }

  async listen(): Promise<void> {
    await this.#checkPort();
    const [first, ...others] = Array.from({ length: this.#options.threads }, (_, index) => index + 1);
    try {
      // it chooses a free port if the setting is 0
      await this.#startListening(first);
      await Promise.all(others.map((number) => this.#startListening(number)));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Changes the registry. Returns when every thread answers from it. A thread that fails to is replaced. */
  async changeContents(changes: readonly EntryChange[]): Promise<void> {
    for (const change of changes) this.#take(change);
    await Promise.all(Array.from(this.#threads.values(), (thread) => this.#send(thread, changes)));
  }

  #take(change: EntryChange): void {
    switch (change.kind) {
      case 'set':
        return this.#stores.set(change.entry.name, buffersOf(change.entry));
      case 'rebase':
        return this.#stores.set(change.name, change.store.buffers);
      case 'delete':
        this.#stores.set(change.name, []);
        this.#retired = keepContents(this.#retired, this.#stores.names);
    }
  }

  async metrics(own: Samples): Promise<string> {
    const threads = await Promise.all(Array.from(this.#threads.values(), (thread) => thread.samples()));
    return addUpMetrics(own, [this.#retired, ...threads], this.#stores.names);
  }

  abandon(): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      Array.from(this.#threads.values(), async (thread) => {
        await thread.functions.stop().catch(() => {});
        await thread.terminate();
      }),
    );
  }

  /** Rejects a port that another process uses. Threads that share it would share it with that process, too. */
  async #checkPort(): Promise<void> {
    const { host } = this.#options.config;
    if (this.#port === 0) return;
    const server = createServer();
    await listen(server, { host, port: this.#port, flags: mainFlags });
    await new Promise((resolve) => server.close(resolve));
  }

  async #startListening(number: number): Promise<void> {
    const { config, counters, threads, areChosen } = this.#options;
    const start = { number, threads, config: shareOf(config, threads), counters, areChosen };
    const thread = new AnsweringThread(start, this.#functions);
    this.#threads.set(number, thread);
    void thread.ended.then((error) => this.#replace(number, thread, error));
    const entries = this.#options.entries();
    if (entries.length > 0) {
      await this.#send(
        thread,
        entries.map((entry) => ({ kind: 'set', entry })),
      );
    }
    const listening = await thread.functions.listen(this.#port);
    if ('problem' in listening) throw new ListenError(listening.problem);
    this.#port = listening.port;
    this.#address = listening.address;
    this.#listening.add(number);
  }

  async #send(thread: AnsweringThread, changes: readonly EntryChange[]): Promise<void> {
    try {
      await thread.functions.changeContents(changes);
    } catch (err) {
      if (thread.hasEnded) return;
      this.#options.log.error({ err }, 'a thread failed to serve the content');
      await thread.terminate();
    }
  }

  async #replace(number: number, thread: AnsweringThread, err: Error | null): Promise<void> {
    this.#listening.delete(number);
    if (this.#isStopping) return;
    this.#threads.delete(number);
    this.#retired = keepContents(retireCounters(this.#retired, thread.lastSamples), this.#stores.names);
    this.#restarted++;
    const { log } = this.#options;
    const milliseconds = this.#nextPause(number, thread);
    log.error({ thread: number, err: err ?? undefined, milliseconds }, 'a thread ended unexpectedly and is replaced');
    await setTimeout(milliseconds, undefined, { ref: false });
    if (this.#isStopping) return;
    try {
      await this.#startListening(number);
    } catch (error) {
      if (!this.#isStopping) log.error({ thread: number, err: error }, 'the new thread does not listen');
      // its end starts `#replace` again
      await this.#threads.get(number)?.terminate();
    }
  }

  #nextPause(number: number, { age }: AnsweringThread): number {
    const earlier = age < steadyAfter ? (this.#earlyEnds.get(number) ?? 0) : 0;
    this.#earlyEnds.set(number, earlier + 1);
    return backOff(earlier + 1, pauses);
  }
}

/** The buffers that all threads share. */
function buffersOf({ snapshot, changes }: DescribedEntry): readonly ArrayBufferLike[] {
  return snapshot?.content.buffers ?? (changes ? [changes.bytes.buffer] : []);
}

/**
 * Returns the settings of one of several threads: its share of what a process may hold. Limits of one request, of one
 * connection and of time stay the same. The rate limit counts over all threads.
 */
export function shareOf(config: Config, threads: number): Config {
  const share = (limit: number) => Math.max(1, Math.floor(limit / threads));
  const { connections, contents, queue } = config;
  return {
    ...config,
    cacheBytes: Math.floor(config.cacheBytes / threads),
    derivedBytes: share(config.derivedBytes),
    searchBytes: Math.floor(config.searchBytes / threads),
    preparedBytes: share(config.preparedBytes),
    contents: { ...contents, previewBytes: share(contents.previewBytes) },
    connections: { ...connections, most: share(connections.most), unsentBytes: share(connections.unsentBytes) },
    queue: { ...queue, requests: share(queue.requests), bytes: share(queue.bytes) },
  };
}
