/** No more than one line of progress in so many milliseconds. */
const leastPause = 1500;

/** Says on stderr how far a run is: "query 3 of 9: deep2, about 5 minutes left". */
export class Progress {
  readonly say: (line: string) => void;
  #what = '';
  #count = 0;
  #done = 0;
  #started = 0;
  #said = 0;

  constructor(say: (line: string) => void) {
    this.say = say;
  }

  /** Begins a series of so many steps, which take about equally long. */
  begin(what: string, count: number): void {
    this.#what = what;
    this.#count = count;
    this.#done = 0;
    this.#started = performance.now();
    this.#said = 0;
  }

  /** The next step of the series begins. */
  next(name: string): void {
    const now = performance.now();
    const perStep = (now - this.#started) / this.#done;
    const left = this.#done > 0 ? `, ${duration(perStep * (this.#count - this.#done))} left` : '';
    this.#done++;
    if (now - this.#said < leastPause) return;
    this.#said = now;
    this.say(`${this.#what} ${this.#done} of ${this.#count}: ${name}${left}`);
  }
}

function duration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute';
  return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
}
