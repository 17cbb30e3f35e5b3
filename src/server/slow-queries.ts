import type { Logger } from 'pino';
import type { Explanation } from '../trace.ts';

/**
 * Between two plans, in milliseconds: to explain is to answer anew and more, so slow queries must not bring more of it.
 */
const betweenPlans = 10_000;

/** Of a URL, this many characters are written. */
const shownUrl = 2000;

/** Writes queries that took long, with their plan where the last one was written some time ago. */
export class SlowQueries {
  readonly #log: Logger;
  readonly #milliseconds: number;
  #lastPlan = Number.NEGATIVE_INFINITY;

  /** `milliseconds` is what is not slow yet; 0 writes none. */
  constructor(log: Logger, milliseconds: number) {
    this.#log = log;
    this.#milliseconds = milliseconds === 0 ? Number.POSITIVE_INFINITY : milliseconds;
  }

  /**
   * A URL was answered in so many milliseconds. `explain` is called after the reply has been handed over, if at all.
   */
  answered(url: string, route: string, milliseconds: number, explain: () => Explanation): void {
    if (milliseconds < this.#milliseconds) return;
    const now = performance.now();
    const line = { route, url: url.slice(0, shownUrl), milliseconds: Math.round(milliseconds) };
    if (now - this.#lastPlan < betweenPlans) return this.#log.warn(line, 'slow query');
    this.#lastPlan = now;
    setImmediate(() => {
      try {
        const { plan, stages } = explain();
        this.#log.warn({ ...line, plan, stages }, 'slow query');
      } catch (error) {
        this.#log.error({ ...line, err: error }, 'slow query without a plan');
      }
    });
  }
}
