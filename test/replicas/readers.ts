import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, keepAlive } from './ask.ts';
import { numbersIn, urls } from './content.ts';

/** Milliseconds between an answer and the next request of a reader: eight readers take less than a processor. */
const gap = 2;
const keptExamples = 5;

/** What a version answers to a URL. */
interface Known {
  readonly digest: string;
  readonly reader: string;
}

/**
 * Ask servers without end, each on a connection of its own that stays open. They compare all replies: those of one version
 * have to be equal everywhere and show one number.
 */
export class Readers {
  reads = 0;
  failed = 0;
  mixed = 0;
  /** The first failed and mixed reads. */
  readonly examples: string[] = [];
  readonly #known = new Map<string, Known>();
  /** The number that the things of a version show. */
  readonly #numbers = new Map<string, number>();
  readonly #running = new Map<string, { isEnded: boolean; readonly done: Promise<void> }>();

  /** Begins to ask a server. Failures count if it is a replica: a publisher may be killed. */
  add(name: string, port: number, isReplica: boolean): void {
    const state = { isEnded: false, done: Promise.resolve() };
    state.done = this.#ask(name, port, isReplica, state);
    this.#running.set(name, state);
  }

  /** Ends a reader, so that its server may be stopped. */
  async remove(name: string): Promise<void> {
    const state = this.#running.get(name);
    if (!state) return;
    state.isEnded = true;
    await state.done;
    this.#running.delete(name);
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#running.keys(), (name) => this.remove(name)));
  }

  /** Begins to count anew. */
  reset(): void {
    this.reads = 0;
    this.failed = 0;
    this.mixed = 0;
    this.examples.length = 0;
  }

  /** Compares what was read with the versions that publishers have told for numbers. */
  compareVersions(told: ReadonlyMap<number, string>): void {
    for (const [number, version] of told) {
      const shown = this.#numbers.get(version);
      if (shown !== undefined && shown !== number) {
        this.#mix(`version ${version} shows ${shown}, its publisher said that it is ${number}`);
      }
    }
  }

  async #ask(name: string, port: number, isReplica: boolean, state: { readonly isEnded: boolean }): Promise<void> {
    const agent = keepAlive();
    for (let i = 0; !state.isEnded; i++) {
      const url = urls[i % urls.length];
      try {
        const { status, version, etag, body } = await ask(port, url, { agent });
        if (status === 200) this.#compare(name, url, version ?? 'none', `${etag} ${digestOf(body)}`, body);
        else if (isReplica) this.#fail(`${name} ${url}: ${status} ${body.toString().slice(0, 200)}`);
        else await sleep(50);
      } catch (error) {
        if (isReplica) this.#fail(`${name} ${url}: ${(error as Error).message}`);
        else await sleep(50);
      }
      if (isReplica) this.reads++;
      await sleep(gap);
    }
    agent.destroy();
  }

  #compare(reader: string, url: string, version: string, digest: string, body: Buffer): void {
    const key = `${version} ${url}`;
    const known = this.#known.get(key);
    if (known?.digest === digest) return;
    if (known) this.#mix(`${reader} ${url}: version ${version} has other bytes than at ${known.reader}`);
    else this.#known.set(key, { digest, reader });
    const numbers = numbersIn(url, body.toString());
    if (numbers.length > 1) this.#mix(`${reader} ${url}: version ${version} shows ${numbers.join(', ')}`);
    if (numbers.length !== 1) return;
    const [number] = numbers;
    const other = this.#numbers.get(version);
    if (other === undefined) this.#numbers.set(version, number);
    else if (other !== number) this.#mix(`${reader} ${url}: version ${version} shows ${number}, elsewhere ${other}`);
  }

  #fail(example: string): void {
    this.failed++;
    if (this.examples.length < keptExamples) this.examples.push(`failed: ${example}`);
  }

  #mix(example: string): void {
    this.mixed++;
    if (this.examples.length < keptExamples) this.examples.push(`mixed: ${example}`);
  }
}

function digestOf(body: Buffer): string {
  return createHash('sha1').update(body).digest('base64');
}
