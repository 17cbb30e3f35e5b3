/** Runs asynchronous tasks one at a time, in the order in which they are added. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. A failing task does not stop later ones. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task);
    // without the result, which may be large
    this.#last = done.then(
      () => {},
      () => {},
    );
    return done;
  }
}
