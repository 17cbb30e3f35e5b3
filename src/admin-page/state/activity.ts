/** Milliseconds between two refreshes. */
const pause = 5000;

/** The longest pause: a computer that slept during a request must not ask rarely for long. */
const longestPause = 60_000;

/** Requests take at most this part of the time, so that a server that answers slowly is asked rarely. */
const maxPart = 1 / 10;

/** The requests of refreshes, by which the page decides when the next one is due. Times are in milliseconds. */
export class Activity {
  #pending = 0;
  #slowest = 0;
  #since: number;

  constructor(now: number) {
    this.#since = now;
  }

  /** Whether the next refresh is due, which would break off requests that are not answered. */
  isDue(now: number): boolean {
    return this.#pending === 0 && now - this.#since >= Math.min(longestPause, Math.max(pause, this.#slowest / maxPart));
  }

  /** Begins a refresh. */
  refresh(now: number): void {
    this.#since = now;
    this.#slowest = 0;
  }

  /** Begins a request. Returns a function that ends it. */
  begin(start: number): (now: number) => void {
    this.#pending++;
    return (now) => {
      this.#pending--;
      this.#slowest = Math.max(this.#slowest, now - start);
    };
  }
}
