/** A run in progress. */
interface Run<State, Result> {
  readonly state: State;
  readonly done: Promise<Result>;
}

/** Runs a task on the latest state. Runs never overlap; callers who arrive during a run share the next one. */
export class LatestRuns<State, Result> {
  readonly #state: () => State;
  readonly #isSame: (state: State) => boolean;
  readonly #run: (state: State) => Promise<Result>;
  #running: Run<State, Result> | null = null;
  /** The next run, which begins with the state at that time. */
  #next: Promise<Result> | null = null;

  /** `isSame` returns whether a state is the current state. */
  constructor(state: () => State, isSame: (state: State) => boolean, run: (state: State) => Promise<Result>) {
    this.#state = state;
    this.#isSame = isSame;
    this.#run = run;
  }

  /** Settles as the task does for a state at some time since this call. Rejects with what `state` throws. */
  get(): Promise<Result> {
    if (this.#running && this.#isSame(this.#running.state)) return this.#running.done;
    this.#next ??= this.#runAfter(this.#running);
    return this.#next;
  }

  async #runAfter(earlier: Run<State, Result> | null): Promise<Result> {
    await earlier?.done.catch(() => {});
    this.#next = null;
    const state = this.#state();
    this.#running = { state, done: this.#run(state) };
    try {
      return await this.#running.done;
    } finally {
      this.#running = null;
    }
  }
}
