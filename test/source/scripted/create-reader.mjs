/**
 * Readers of a folder in place of a Strapi, for processes: `content.json` is the content, and `0.json`, `1.json` and so on
 * are the results of `next`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SnapshotError } from '../../../dist-bundle/core/errors.js';
import { loadSnapshot } from '../../../dist-bundle/load/load.js';

export function createReader({ folder }, onUnchanged) {
  let next = 0;
  let isClosed = false;
  const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  // what was told before is in the content
  while (existsSync(join(folder, `${next}.json`))) next++;
  return {
    load: (options) => loadSnapshot(join(folder, 'content.json'), options),
    async next() {
      while (!existsSync(join(folder, `${next}.json`))) {
        await setTimeout(10);
        if (isClosed) throw new SnapshotError(['closed']);
      }
      const result = read(`${next++}.json`);
      if (result.kind === 'refused') throw new SnapshotError([result.reason]);
      if (result.kind === 'exit') process.exit(7);
      if (result.kind === 'fill') for (let last = null; ; ) last = { last };
      return result;
    },
    hint: () => onUnchanged(Date.now()),
    async close() {
      isClosed = true;
    },
  };
}
