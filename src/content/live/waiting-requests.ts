import { RequestError } from '../../core/errors.ts';
import type { SerialQueue } from './serial-queue.ts';

/** Maximum number of requests that wait. A further one is a 503. */
const maxWaiting = 100;

/** Requests for changes that wait for those before them. */
export class WaitingRequests {
  readonly #queue: SerialQueue;
  #waiting = 0;

  constructor(queue: SerialQueue) {
    this.#queue = queue;
  }

  /** Settles as the task does. Rejects with a RequestError if too many wait. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#waiting >= maxWaiting) {
      const message = `${maxWaiting} batches wait already: try again in a moment`;
      throw new RequestError(503, 'ServiceUnavailableError', message);
    }
    this.#waiting++;
    try {
      return await this.#queue.run(task);
    } finally {
      this.#waiting--;
    }
  }
}
