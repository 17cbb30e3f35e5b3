/**
 * Writes a snapshot of an invented magazine, of any size:
 *
 *     npx tsx data/generate.ts [--entries N] [--seed S] [--out FOLDER]
 *
 * Without arguments it writes the demo that stands in `data/demo`.
 */
import { parseArgs } from 'node:util';
import { writeSnapshot } from './generator/snapshot.ts';

/** A whole number within bounds, both included; the error names the value. */
function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new Error(`--${option} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return value;
}

try {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: '3000' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string', default: 'data/demo' },
    },
  });
  const entries = wholeNumber('entries', values.entries, 1000, 1_000_000);
  const seed = wholeNumber('seed', values.seed, 0, 2 ** 32 - 1);
  const summary = writeSnapshot(values.out, entries, seed);
  const types = Object.entries(summary.entries).map(([type, count]) => `${count} ${type}`);
  console.log(`${values.out}: ${entries} entries, ${(summary.bytes / 1e6).toFixed(1)} MB (${types.join(', ')})`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
