import { setTimeout as sleep } from 'node:timers/promises';
import { ask, keepAlive } from './ask.ts';
import { changesOf } from './content.ts';

/** Milliseconds between an acknowledged change and the next one: all servers share few processors. */
const gap = 100;
/** Milliseconds before a change is sent again. */
const retry = 50;

export const changesToken = 'token-of-these-tests';

/** What writers have sent. */
export class Written {
  #next = 0;
  /** The version of each acknowledged number. */
  readonly acknowledged = new Map<number, string>();
  /** Answers 409. */
  refused = 0;
  /** Other answers than 200 and 409, and none. */
  unavailable = 0;
  /** The last of these answers. */
  last = '';

  next(): number {
    return ++this.#next;
  }
}

/** Sends one change after another to a publisher, and each one again until it is acknowledged. */
export class Writer {
  readonly #written: Written;
  readonly #adminPort: number;
  readonly #agent = keepAlive();
  #isEnded = true;
  #done: Promise<void> = Promise.resolve();

  constructor(written: Written, adminPort: number) {
    this.#written = written;
    this.#adminPort = adminPort;
  }

  begin(): void {
    if (!this.#isEnded) return;
    this.#isEnded = false;
    this.#done = this.#write();
  }

  /** Resolves when no request is pending. */
  async stop(): Promise<void> {
    this.#isEnded = true;
    await this.#done;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a change until it is acknowledged. `large` is as in `changesOf`. Returns false if the writer ends before. */
  async send(large = 0): Promise<boolean> {
    const number = this.#written.next();
    const body = JSON.stringify({ changes: changesOf(number, large) });
    const { acknowledged } = this.#written;
    for (;;) {
      const { status, text } = await this.#post(body);
      if (status === 200) {
        acknowledged.set(number, JSON.parse(text).version);
        return true;
      }
      if (status === 409) this.#written.refused++;
      else this.#written.unavailable++;
      if (status !== 0) this.#written.last = `${status} ${text.slice(0, 300)}`;
      if (this.#isEnded) return false;
      await sleep(retry);
    }
  }

  async #write(): Promise<void> {
    while (!this.#isEnded) {
      await this.send();
      await sleep(gap);
    }
  }

  async #post(body: string): Promise<{ status: number; text: string }> {
    try {
      const sent = { agent: this.#agent, body, token: changesToken, timeout: 30_000 };
      const reply = await ask(this.#adminPort, '/_changes', sent);
      return { status: reply.status, text: reply.body.toString() };
    } catch (error) {
      return { status: 0, text: (error as Error).message };
    }
  }
}
