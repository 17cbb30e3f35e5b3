import { backOff } from '../core/back-off.ts';
import { InterruptiblePause } from './interruptible-pause.ts';

/** In milliseconds. */
const pauses = { first: 1000, last: 60_000 };

/** The pauses before a source that has failed is tried again. They grow until it is read. A sign of life ends them. */
export class RetryPauses {
  readonly #pauseAfter: (failures: number) => number;
  readonly #first = new InterruptiblePause();
  readonly #rest = new InterruptiblePause();
  #failures = 0;
  /** Whether there was a sign of life since the attempt began. */
  #hasSign = false;
  #isEnded = false;

  /** `pauseAfter` returns the milliseconds of the pause after so many failures. */
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

  /** Waits after a failure, for at least so many milliseconds unless the pause is ended. */
  async wait(least: number): Promise<void> {
    const whole = Math.max(this.#pauseAfter(++this.#failures), least);
    const first = Math.min(whole, pauses.first);
    if (!this.#isEnded) await this.#first.wait(first);
    if (!this.#isEnded && !this.#hasSign) await this.#rest.wait(whole - first);
  }

  /** The source may be readable now. Ends the pause, but for its first second, so that many signs are not as many attempts. */
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
