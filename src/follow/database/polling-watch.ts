import type { ChangeWatch } from './followed-database.ts';

/** A database server that is asked whether there was a commit. */
interface PolledServer {
  /** Returns the mark as `ChangeWatch.mark` does, and whether the server is a standby. */
  look(): Promise<{ readonly mark: string; readonly isStandby: boolean }>;
  close(): void;
}

/** Milliseconds between two looks at least, and at most while there are no commits. */
interface Pauses {
  readonly shortest: number;
  readonly longest: number;
}

/** By how much of the time without a commit the pause grows, up to the longest. */
const pauseShare = 0.05;

/** Looks for commits to a server. Looks become rarer while there are none, where the longest pause allows it. */
export class PollingWatch implements ChangeWatch {
  readonly #server: PolledServer;
  readonly #pauses: Pauses;
  #mark = '';
  #isStandby = false;
  #since = performance.now();

  constructor(server: PolledServer, pauses: Pauses) {
    this.#server = server;
    this.#pauses = pauses;
  }

  get untilLook(): number {
    const { shortest, longest } = this.#pauses;
    const grown = (performance.now() - this.#since) * pauseShare;
    return Math.max(shortest, Math.min(longest, grown));
  }

  get isStandby(): boolean {
    return this.#isStandby;
  }

  async mark(): Promise<string> {
    const { mark, isStandby } = await this.#server.look();
    this.#isStandby = isStandby;
    if (mark !== this.#mark) this.#since = performance.now();
    this.#mark = mark;
    return mark;
  }

  /** A commit always changes the mark. */
  isUnderWay(): boolean {
    return false;
  }

  async close(): Promise<void> {
    this.#server.close();
  }
}
