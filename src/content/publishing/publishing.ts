import { setTimeout as pause } from 'node:timers/promises';
import type { LoggedChange } from '../../changes/log/logged-change.ts';
import type { PublishedContent, Publisher } from './publisher.ts';
import { PublicationRefused } from './publishing-errors.ts';

/** Milliseconds between two looks at what other processes have done to the publication. */
const interval = 1000;

/** Keeps a content and its publication equal while it is served. */
export class Publishing {
  readonly publisher: Publisher;
  readonly #content: PublishedContent;
  /** Runs a task between two changes. */
  readonly #between: (task: () => Promise<void>) => Promise<void>;
  readonly #ending = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(publisher: Publisher, content: PublishedContent, between: (task: () => Promise<void>) => Promise<void>) {
    this.publisher = publisher;
    this.#content = content;
    this.#between = between;
  }

  /** As `Publisher.begin`, and watches the publication from then on. */
  async begin(): Promise<void> {
    await this.publisher.begin(this.#content);
    this.#watching = this.#watch();
  }

  /** As `Publisher.append`. If another publisher came before, its changes are taken. */
  async append(change: LoggedChange): Promise<void> {
    try {
      await this.publisher.append(change);
    } catch (error) {
      if (error instanceof PublicationRefused) await this.settle().catch(() => {});
      throw error;
    }
  }

  /** As `Publisher.settle`. To be called between two changes. */
  settle(): Promise<void> {
    return this.publisher.settle(this.#content);
  }

  /** To be called after each change. */
  changed(): void {
    this.publisher.changed(this.#content.loaded, this.#between);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.publisher.close();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await pause(interval, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      await this.publisher.watch(this.#content, this.#between);
    }
  }
}
