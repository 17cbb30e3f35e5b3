import type { Logger } from 'pino';
import type { Explanation } from '../engine/trace.ts';

/**
 * Between two plans, in milliseconds: to explain is to answer anew and more, so slow queries must not bring more of it.
 */
const betweenPlans = 10_000;

/** Of a URL, this many characters are written. */
const shownUrl = 2000;

export interface SlowQuery {
  /** Of the request. */
  readonly id: string;
  readonly route: string;
  readonly url: string;
  readonly milliseconds: number;
}

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

  isSlow(milliseconds: number): boolean {
    return milliseconds >= this.#milliseconds;
  }

  /** Writes a slow query. `explain` is called after its reply has been handed over, if at all. */
  answered({ id, route, url, milliseconds }: SlowQuery, explain: () => Explanation): void {
    const now = performance.now();
    const line = { id, route, url: url.slice(0, shownUrl), milliseconds: Math.round(milliseconds) };
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
