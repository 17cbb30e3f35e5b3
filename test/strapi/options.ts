import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** Where Strapi, its database, its export and the differences go; kept for the next run. */
  folder: string;
  /** A folder in which Strapi is installed; null to install it below `folder`. */
  strapi: string | null;
  /** How many queries are compared. */
  cases: number;
  /** The same seed asks the same queries. */
  seed: number;
  /** Number of the first query: with it and `cases` any of them can be asked again. */
  first: number;
  /** The share of the queries that may differ, in percent. */
  mayDiffer: number;
  /** How many differences of each kind are printed. */
  show: number;
  /** Fill Strapi anew, though it has been filled. */
  refill: boolean;
  /** File that the answers on which both agree are written to, one in JSON a line; '' for none. */
  record: string;
  /** Keep both servers up after the comparison, until the script is interrupted. */
  stay: boolean;
}

const usage = `npm run compare:strapi -- [--folder F] [--strapi DIR] [--cases N] [--seed S] [--first N] [--may-differ PERCENT] [--show K] [--refill] [--record FILE] [--stay]`;

export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi') },
      strapi: { type: 'string' },
      cases: { type: 'string', default: '3000' },
      seed: { type: 'string', default: '1' },
      first: { type: 'string', default: '0' },
      'may-differ': { type: 'string', default: '0' },
      show: { type: 'string', default: '3' },
      refill: { type: 'boolean', default: false },
      record: { type: 'string', default: '' },
      stay: { type: 'boolean', default: false },
    },
  });
  return {
    folder: resolve(values.folder),
    strapi: values.strapi === undefined ? null : resolve(values.strapi),
    cases: readCount('cases', values.cases),
    seed: readCount('seed', values.seed),
    first: readCount('first', values.first),
    mayDiffer: readPercent('may-differ', values['may-differ']),
    show: readCount('show', values.show),
    refill: values.refill,
    record: values.record && resolve(values.record),
    stay: values.stay,
  };
}

function readCount(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} takes a whole number, not ${text}`);
}

function readPercent(name: string, text: string): number {
  const isPercent = /^\d{1,2}(\.\d+)?$/.test(text);
  return isPercent ? Number(text) : refuse(`--${name} takes a number below 100, not ${text}`);
}

function refuse(message: string): never {
  console.error(`${message}\n${usage}`);
  process.exit(2);
}
