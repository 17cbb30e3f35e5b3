import { readFileSync } from 'node:fs';

/**
 * What a comparison reads. `changes`: rows with another time of change. `entries`: all entries of types whose tables may
 * differ. `everything`: all entries and links.
 */
export type Extent = 'changes' | 'entries' | 'everything';

/**
 * The long-run share of a processor for comparisons, and the most processor time in milliseconds that may be saved up. The
 * thread has a low priority, so requests come first.
 */
const workShare = 0.3;
const savedWork = 20_000;

/** Decides what is compared when. Points in time are in milliseconds since 1970. */
export class ComparisonSchedule {
  readonly #interval: number;
  readonly #budget = new WorkBudget(workShare, savedWork, performance.now());
  /** The last comparison of all entries: state of the database, time, and processor time in milliseconds. */
  #wholeState = '';
  #wholeAt = 0;
  #wholeCost = 0;
  #requested: 'entries' | 'everything' | null = null;

  /** `interval` is the time from one comparison of everything to the next while the database changes, in milliseconds. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Whether a comparison of all entries was requested and not made yet. */
  get isPending(): boolean {
    return this.#requested !== null;
  }

  /** All entries are known as they were in this state of the database, at this time. */
  comparedAll(state: string, at: number): void {
    this.#wholeState = state;
    this.#wholeAt = at;
  }

  /** All entries are compared as soon as the share of the processor allows. */
  request(extent: 'entries' | 'everything'): void {
    if (this.#requested !== 'everything') this.#requested = extent;
  }

  /** Returns what is compared now. Null: nothing, or not yet. `isExact`: changes are found without comparing all entries. */
  next(state: string, isChanged: boolean, now: number, isExact = false): Extent | null {
    if (this.#budget.delay(performance.now()) > 0) return null;
    if (isExact) return isChanged ? 'changes' : null;
    const sinceWhole = now - this.#wholeAt;
    if (sinceWhole >= this.#wholeCost / workShare) {
      if (state !== this.#wholeState && sinceWhole >= this.#interval) return 'everything';
      if (this.#requested) return this.#requested;
    }
    return isChanged ? 'changes' : null;
  }

  /** A comparison begins. If it fails, it is to be requested again. */
  begin(extent: Extent): void {
    if (extent !== 'changes') this.#requested = null;
  }

  /** A comparison has taken this many milliseconds of processor time. */
  end(extent: Extent, cost: number): void {
    // comparisons of everything have an interval of their own, so that they do not delay the search for single changes
    if (extent === 'changes') this.#budget.spend(cost, performance.now());
    else this.#wholeCost = cost;
  }
}

/** Limits the share of a processor that repeated work takes. Work after a pause begins at once. */
export class WorkBudget {
  readonly #share: number;
  readonly #most: number;
  #milliseconds: number;
  #at: number;

  /**
   * `share` is the part of the time that work may take in the long run. `most` is how many milliseconds of work are saved
   * up at most. Times are in milliseconds.
   */
  constructor(share: number, most: number, now: number) {
    this.#share = share;
    this.#most = most;
    this.#milliseconds = most;
    this.#at = now;
  }

  /** Takes work that ended at a time. */
  spend(milliseconds: number, now: number): void {
    this.#refill(now);
    this.#milliseconds -= milliseconds;
  }

  /** Returns how many milliseconds the next work has to wait. */
  delay(now: number): number {
    this.#refill(now);
    return this.#milliseconds >= 0 ? 0 : Math.ceil(-this.#milliseconds / this.#share);
  }

  #refill(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#milliseconds = Math.min(this.#most, this.#milliseconds + passed * this.#share);
    this.#at = now;
  }
}

/** In newer versions of Node. */
interface WithThreadUsage {
  threadCpuUsage?(): { readonly user: number; readonly system: number };
}

/**
 * Returns the processor time of this thread in milliseconds, since an arbitrary point. Where the system does not report it,
 * returns elapsed time.
 */
export function threadTime(): number {
  const usage = (process as WithThreadUsage).threadCpuUsage?.();
  if (usage) return (usage.user + usage.system) / 1000;
  try {
    // the first number is the processor time in nanoseconds
    return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) / 1e6;
  } catch {
    return performance.now();
  }
}
