/** A pause that can be ended early. One at a time. */
export class InterruptiblePause {
  #end: (() => void) | null = null;

  /** Resolves after the time, in milliseconds, or when `end` is called. Does not keep the process alive. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end(), milliseconds).unref();
      this.#end = () => {
        clearTimeout(timer);
        this.#end = null;
        resolve();
      };
    });
  }

  end(): void {
    this.#end?.();
  }
}
