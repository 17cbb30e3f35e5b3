/**
 * Lets everything fail that lies between a publisher, a Redis and replicas, each failure beside readers and writers, with
 * processes of its own:
 *
 *     npm run test:replicas [-- TEXT …] [--rounds 30] [--seed 1] [--keep]
 *
 * A TEXT chooses the rows whose names contain it. `--keep` keeps the folder with the logs. No read may fail or show two
 * changes, no acknowledged change may be lost, and all replicas serve what the publisher serves 5 s after mending. Takes
 * about 15 minutes. Linux only.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../../bench/random.ts';
import { allRows } from './rows/all-rows.ts';
import { describe, isRight, runRow } from './run-row.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
const rows = allRows.filter(({ name }) => positionals.length === 0 || positionals.some((text) => name.includes(text)));
if (rows.length === 0) {
  console.error(`no row is named like that. The rows:\n${allRows.map(({ name }) => name).join('\n')}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'lectern-replicas-'));
const random = new Random(Number(values.seed));
let wrong = 0;
for (const [i, row] of rows.entries()) {
  const place = join(folder, String(i));
  mkdirSync(place);
  try {
    const verdict = await runRow(row, place, { rounds: Number(values.rounds), random: () => random.next() });
    console.log(describe(row.name, verdict));
    if (!isRight(verdict)) wrong++;
  } catch (error) {
    console.log(`WRONG  ${row.name}: ${(error as Error).message}`);
    wrong++;
  }
}
console.log(wrong === 0 ? `${rows.length} rows are right.` : `${wrong} of ${rows.length} rows are wrong.`);
if (values.keep) console.log(`Logs: ${folder}`);
else rmSync(folder, { recursive: true });
process.exit(wrong === 0 ? 0 : 1);
