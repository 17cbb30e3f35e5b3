/**
 * Writes a snapshot of invented content, of any size:
 *
 *     npx tsx data/generate.ts [--content magazine|links|pages] [--entries N] [--seed S] [--out FOLDER]
 *
 * Without arguments it writes the magazine in `data/demo`.
 */
import { parseArgs } from 'node:util';
import { writeLinks } from './generator/links.ts';
import { writePages } from './generator/pages.ts';
import { writeSnapshot } from './generator/snapshot.ts';

const writers = { magazine: writeSnapshot, links: writeLinks, pages: writePages };

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
      content: { type: 'string', default: 'magazine' },
      entries: { type: 'string', default: '3000' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
    },
  });
  const write = writers[values.content as keyof typeof writers];
  if (!write) {
    const names = Object.keys(writers).join(', ');
    throw new Error(`--content must be one of ${names}, not ${JSON.stringify(values.content)}`);
  }
  const out = values.out ?? (values.content === 'magazine' ? 'data/demo' : undefined);
  if (out === undefined) throw new Error(`--content ${values.content} needs --out, the folder of the snapshot`);
  const entries = wholeNumber('entries', values.entries, 1000, 1_000_000);
  const seed = wholeNumber('seed', values.seed, 0, 2 ** 32 - 1);
  const summary = write(out, entries, seed);
  const types = Object.entries(summary.entries).map(([type, count]) => `${count} ${type}`);
  console.log(`${out}: ${entries} entries, ${(summary.bytes / 1e6).toFixed(1)} MB (${types.join(', ')})`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
