import { backOff } from '../core/back-off.ts';

interface PauseOptions {
  /** Whether the process stays alive for the pause. Default: it does not. */
  readonly keepsAlive?: boolean;
  /** Ends the pause when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Pauses that can be ended early, all at once. */
export class InterruptiblePause {
  readonly #ends = new Set<() => void>();

  /** Resolves after the time, in milliseconds, or when `end` is called. */
  wait(milliseconds: number, { keepsAlive = false, signal }: PauseOptions = {}): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (!keepsAlive) timer.unref();
      signal?.addEventListener('abort', end);
      this.#ends.add(end);
    });
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}

/** In milliseconds. */
const pauses = { first: 1000, last: 60_000 };

/** Returns half of a time up to all of it, so that many servers do not try at once. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}

/** Returns the pause after a number of failures of something that many servers try. */
export function jitteredBackOff(failures: number): number {
  return jittered(backOff(failures, pauses));
}

/** The pauses before a failed source is tried again. They grow with each failure. A sign of life shortens them. */
export class RetryPauses {
  readonly #pauseAfter: (failures: number) => number;
  readonly #first = new InterruptiblePause();
  readonly #rest = new InterruptiblePause();
  #failures = 0;
  /** Whether there was a sign of life since the attempt began. */
  #hasSign = false;
  #isEnded = false;

  /** `pauseAfter` returns the milliseconds of the pause after the given number of failures. */
  constructor(pauseAfter = (failures: number) => backOff(failures, pauses)) {
    this.#pauseAfter = pauseAfter;
  }

  /** An attempt begins. */
  begin(): void {
    this.#hasSign = false;
    this.#isEnded = false;
  }

  /** The next pause is the first one again. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Waits after a failure, for at least and at most the given milliseconds, unless the pause is ended early. */
  async wait(least = 0, most = Number.POSITIVE_INFINITY): Promise<void> {
    const whole = Math.max(Math.min(this.#pauseAfter(++this.#failures), most), least);
    const first = Math.min(whole, pauses.first);
    if (!this.#isEnded) await this.#first.wait(first);
    if (!this.#isEnded && !this.#hasSign) await this.#rest.wait(whole - first);
  }

  /**
   * The source may be readable now. Ends the pause, but not within its first second, so that many signs cause one
   * attempt.
   */
  signOfLife(): void {
    this.#hasSign = true;
    this.#rest.end();
  }

  /** Ends the pause at once. */
  end(): void {
    this.#isEnded = true;
    this.#first.end();
    this.#rest.end();
  }
}

/** Spreads the reads of servers that follow the same Strapi. In milliseconds. */
const maxJitter = 10 * 60_000;

/** Calls a function once a day. Does not keep the process alive. */
export class DailyTimer {
  readonly #time: string;
  readonly #call: () => void;
  #timer: NodeJS.Timeout;

  /** `time` is a local time such as 03:30. A call comes up to ten minutes later. */
  constructor(time: string, call: () => void) {
    this.#time = time;
    this.#call = call;
    this.#timer = this.#start();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.#call();
        this.#timer = this.#start();
      },
      untilTime(this.#time, new Date(), Math.random()),
    ).unref();
  }
}

/** Returns the milliseconds until a time such as 03:30 of the local clock, and up to ten minutes more. */
export function untilTime(time: string, now: Date, random: number): number {
  const [hours, minutes] = time.split(':').map(Number);
  const next = new Date(now);
  next.setHours(hours, minutes, 0, 0);
  if (next <= now) next.setDate(next.getDate() + 1);
  return next.getTime() - now.getTime() + Math.floor(random * maxJitter);
}
