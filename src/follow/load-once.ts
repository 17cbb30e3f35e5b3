import type { Load } from '../content/open.ts';
import { loadSettingsOf } from '../load/loaded.ts';
import type { SourceReading } from './source-reading.ts';

/** Returns a function that loads a source with a reading of its own each time, and does not follow it. */
export function loadOnce(read: () => SourceReading, isShared: boolean): Load<string> {
  return async (_source, options) => {
    const reading = read();
    try {
      return await reading.load({ ...loadSettingsOf(options), isShared });
    } finally {
      await reading.close();
    }
  };
}
