/**
 * Starts a Strapi that holds the magazine of the benchmarks, to be measured beside Lectern:
 *
 *     npm run bench:strapi -- [--entries 100000] [--folder DIR] [--refill]
 *
 * It installs Strapi in the folder, fills and exports it (minutes, once for each content), says how to measure it,
 * and stays until it is stopped with Ctrl+C. A script that sends SIGTERM starts it with `node --import tsx` instead: npm
 * does not pass the signal on.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { magazine, snapshotOf } from '../../../bench/content/index.ts';
import { startFilled } from '../filled.ts';
import { magazineFilling } from './magazine.ts';
import { urlsFor } from './urls.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-magazine') },
    refill: { type: 'boolean', default: false },
  },
});
if (!/^[1-9]\d{3,6}$/.test(values.entries)) {
  console.error(`--entries takes a number from 1000 to 1000000, not ${values.entries}`);
  process.exit(2);
}

const entries = Number(values.entries);
const snapshot = await snapshotOf(magazine, entries);
const folder = resolve(values.folder);
const { address, archive } = await startFilled(folder, magazineFilling(snapshot), values.refill);
const urls = join(folder, 'urls.txt');
writeFileSync(urls, urlsFor(entries));
console.log(`Strapi: ${address}\nExport: ${archive}\n`);
console.log(`npm run bench -- --snapshot '${archive}' --urls '${urls}' --http ${address} --client wrk\n`);
console.log('Ctrl+C stops it.');
await new Promise(() => {});
