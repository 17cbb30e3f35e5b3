import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** The requests that have not been answered yet. */
export class RequestsInProgress {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }

  /** Resolves when those that are open now have been answered or given up. */
  async ended(): Promise<void> {
    await Promise.all(Array.from(this.#responses, (response) => once(response, 'close').catch(() => {})));
  }
}
