/** Runs asynchronous tasks one at a time, in the order in which they are added. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. A task that fails does not stop those after it. */
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
