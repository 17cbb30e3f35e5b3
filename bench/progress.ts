/** Says on stderr how far a run is: "query 3 of 9: deep2, about 5 minutes left". */
export class Progress {
  readonly #say: (line: string) => void;
  #what = '';
  #count = 0;
  #done = 0;
  #started = 0;
  #said = 0;
  #planned = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Begins a series of so many steps, which take about equally long. */
  begin(what: string, count: number): void {
    this.#what = what;
    this.#count = count;
    this.#done = 0;
    this.#started = performance.now();
  }

  /** The next step of the series begins. */
  next(name: string): void {
    const perStep = (performance.now() - this.#started) / this.#done;
    const left = this.#done > 0 ? `, ${duration(perStep * (this.#count - this.#done))} left` : '';
    this.#done++;
    this.#say(`${this.#what} ${this.#done} of ${this.#count}: ${name}${left}`);
  }

  /** Begins something whose share that is done is known all along, and that is planned for so many milliseconds. */
  beginShares(what: string, planned: number): void {
    this.begin(what, 0);
    this.#said = 0;
    this.#planned = planned;
  }

  /** Says how far it is, each time that another tenth is done. */
  share(share: number): void {
    if (share < this.#said + 0.1 || share >= 1) return;
    this.#said = share;
    const elapsed = performance.now() - this.#started;
    const left = elapsed * (1 / share - 1);
    const planned = this.#planned - elapsed;
    this.#say(
      `${this.#what}: ${Math.round(share * 100)} %, ${duration(planned > 0 ? Math.min(left, planned) : left)} left`,
    );
  }

  say(line: string): void {
    this.#say(line);
  }
}

function duration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute';
  return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
}
