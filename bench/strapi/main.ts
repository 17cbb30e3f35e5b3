/**
 * Starts a Strapi that holds the benchmark's own content, to be measured beside Lectern:
 *
 *     npx tsx bench/strapi/main.ts [--entries 100000] [--folder DIR] [--refill]
 *
 * It installs Strapi in the folder, fills and exports it (minutes, once for each content), says how to measure it,
 * and stays until it is stopped with Ctrl+C. A script that sends SIGTERM starts `node --import tsx` instead: npx keeps
 * the signal to itself.
 */
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startFilled } from '../../test/strapi/filled.ts';
import { snapshotOf } from '../prepare.ts';
import { magazine } from './magazine.ts';
import { pathsFor } from './paths.ts';

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
const snapshot = snapshotOf(entries);
const { address, archive } = await startFilled(resolve(values.folder), magazine(snapshot), values.refill);
const shown = pathsFor(entries).map((path) => ` \\\n  --strapi-path '${path}'`);
console.log(`Strapi: ${address}\nExport: ${archive}\n`);
console.log(
  `npm run bench -- --only strapi --client wrk --strapi ${address} --strapi-snapshot '${archive}'${shown.join('')}\n`,
);
console.log('Ctrl+C stops it.');
await new Promise(() => {});
