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
