import type { Compared, RestContent } from './rest-content.ts';

/** A comparison of everything that runs beside reads of what hints name. */
export class RunningComparison {
  readonly startedAt = Date.now();
  /** Null while it is in progress. */
  result: Compared | { readonly kind: 'failure'; readonly error: unknown } | null = null;
  /** Resolves at the end, never rejects. */
  readonly done: Promise<void>;

  constructor(content: RestContent) {
    this.done = this.#run(content);
  }

  async #run(content: RestContent): Promise<void> {
    try {
      this.result = await content.compare();
    } catch (error) {
      this.result = { kind: 'failure', error };
    }
  }
}
