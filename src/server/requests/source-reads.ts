import { setTimeout as pause } from 'node:timers/promises';
import type { ContentSource } from '../../content/registry/content-source.ts';
import type { AwaitedSource } from '../../http/at-least.ts';
import type { Operations } from '../operations.ts';

/** Interval at which a thread asks, in milliseconds. */
const interval = 50;

/** When the source of a content was read. A thread that does not read it asks the one that does while requests wait. */
export class SourceReads implements AwaitedSource {
  readonly #source: () => ContentSource | undefined;
  readonly #ask: () => ReturnType<Operations['freshness']>;
  readonly #listeners = new Set<() => void>();
  /** The last answer of the other thread. The content equals its source at this time or a later one. */
  #told: AwaitedSource['freshness'];
  #isAsking = false;

  /** `source` returns undefined in a thread that does not read it. */
  constructor(source: () => ContentSource | undefined, ask: () => ReturnType<Operations['freshness']>) {
    this.#source = source;
    this.#ask = ask;
  }

  get freshness(): AwaitedSource['freshness'] {
    const source = this.#source();
    return source ? source.freshness : this.#told;
  }

  onRead(listener: () => void): () => void {
    const source = this.#source();
    if (source) return source.onRead(listener);
    this.#listeners.add(listener);
    if (!this.#isAsking) void this.#askAgain();
    return () => void this.#listeners.delete(listener);
  }

  async #askAgain(): Promise<void> {
    this.#isAsking = true;
    for (; this.#listeners.size > 0; await pause(interval)) {
      this.#told = await this.#ask();
      for (const listener of [...this.#listeners]) listener();
    }
    this.#isAsking = false;
  }
}
