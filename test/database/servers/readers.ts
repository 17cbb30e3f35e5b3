import { setTimeout as sleep } from 'node:timers/promises';
import { askServer } from '../../support/http.ts';
import type { ServingProcess } from '../../support/threads.ts';

/** Asks for the tags without a pause, and counts the answers that are not 200. */
export class Readers {
  failures = 0;
  reads = 0;
  #isEnded = false;
  readonly #reading: Promise<void>;

  constructor({ port }: ServingProcess) {
    this.#reading = this.#read(port);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#reading;
  }

  async #read(port: number): Promise<void> {
    while (!this.#isEnded) {
      const status = await askServer(port, '/api/tags').then(
        (answer) => answer.status,
        () => 0,
      );
      this.reads++;
      if (status !== 200) this.failures++;
      await sleep(20);
    }
  }
}

/** Returns the milliseconds until a tag with the label is shown. */
export async function untilShown({ port }: ServingProcess, label: string, limit = 30_000): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < limit) {
    const { body } = await askServer(port, `/api/tags?filters[label]=${label}`);
    if (body.includes(`"${label}"`)) return performance.now() - started;
    await sleep(10);
  }
  throw new Error(`${label} is not shown after ${limit} ms`);
}
