/** When a failed request is sent again. All times are in milliseconds. */
import { backOff } from '../../core/back-off.ts';
import { InterruptiblePause } from '../pauses.ts';

export const defaultFirstPause = 500;
const lastPause = 30_000;
/** A longer Retry-After counts as a refusal. */
export const maxRetryAfter = 300_000;

const repeatable: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether repeating a request with this status may succeed. */
export function isRepeatable(status: number): boolean {
  return repeatable.has(status);
}

/** Returns the pause after a number of failures, from 1. Half of it is random. */
export function randomPause(failures: number, first: number): number {
  const longest = backOff(failures, { first, last: lastPause });
  return longest / 2 + (Math.random() * longest) / 2;
}

/** Reads the header Retry-After: seconds, or a date. Returns 0 if it is missing, invalid or in the past. */
export function readRetryAfter(value: string | null, now = Date.now()): number {
  if (value === null) return 0;
  const time = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return time > 0 ? time : 0;
}

/** A pause that all requests of a client share, after a Retry-After. */
export class SharedPause {
  readonly #pause = new InterruptiblePause();
  #end = 0;

  /** Lets no request start for the given time. */
  extend(time: number): void {
    this.#end = Math.max(this.#end, Date.now() + time);
  }

  /** Resolves after the pause. Rejects with the reason of the signal. */
  async wait(signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const rest = this.#end - Date.now();
      if (rest <= 0) return;
      await this.#pause.wait(rest, { keepsAlive: true, signal });
    }
  }
}

/** Limits how many requests run at once. Waiting requests run in the order of their arrival. */
export class RequestSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs a task when a slot is free. Settles as the task does. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
