import { parseArgs } from 'node:util';
import { writeLinks } from './links.ts';
import { writePages } from './pages.ts';
import { writeSnapshot } from './snapshot.ts';

const writers = { magazine: writeSnapshot, links: writeLinks, pages: writePages };

export interface GeneratorOptions {
  write: typeof writeSnapshot;
  /** The folder of the snapshot. */
  out: string;
  entries: number;
  seed: number;
}

/** Reads the command line. Throws an error that names the option and the value. */
export function readOptions(args: readonly string[]): GeneratorOptions {
  const { values } = parseArgs({
    args: [...args],
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
  return { write, out, entries, seed };
}

/** Parses a whole number within bounds, both included. */
function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new Error(`--${option} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return value;
}
