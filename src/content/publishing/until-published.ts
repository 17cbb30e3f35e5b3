import { setTimeout as pause } from 'node:timers/promises';
import { PublicationRefused, Unpublished } from './publishing-errors.ts';

/** In milliseconds. */
const longest = 5000;
const between = 200;

/**
 * Makes a change of a source, and makes it again for some seconds while it cannot be published: another publisher came
 * before, or the publication is away for a moment. Rejects as the change does.
 */
export async function untilPublished<T>(change: () => Promise<T>): Promise<T> {
  const end = performance.now() + longest;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      const isPassing = error instanceof PublicationRefused || error instanceof Unpublished;
      if (!isPassing || performance.now() > end) throw error;
      await pause(between, undefined, { ref: false });
    }
  }
}
