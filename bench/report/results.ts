import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CompareResult } from '../compare/run.ts';
import { checkedOut } from '../compare/version.ts';
import type { HttpResult } from '../http/result.ts';
import type { InprocessResult } from '../inprocess/result.ts';
import type { LoadResult } from '../load/measure.ts';
import type { Options } from '../options.ts';
import type { OwnResult } from '../own/measure.ts';
import { packageVersions } from '../packages.ts';
import { type Machine, thisMachine } from './machine.ts';

/** All that a run finds, as it is measured. Tables are made from it. */
export interface Results {
  /** Null outside of a git repository. */
  commit: { hash: string; isChanged: boolean } | null;
  machine: Machine;
  versions: { node: string; v8: string; packages: Record<string, string> };
  options: Options;
  inprocess: InprocessResult[];
  http: HttpResult[];
  load: LoadResult[];
  compare?: CompareResult;
  own?: OwnResult;
}

export function newResults(options: Options): Results {
  const { node, v8 } = process.versions;
  return {
    commit: checkedOut(),
    machine: thisMachine(),
    versions: { node, v8, packages: packageVersions },
    options,
    inprocess: [],
    http: [],
    load: [],
  };
}

const folder = fileURLToPath(new URL('../results', import.meta.url));

/** The file of a run: the one that is asked for, or one that does not exist yet, named after day and processor. */
export function resultsFile({ machine: { date, processor }, options }: Results): string {
  if (options.results) return options.results;
  const name = processor
    .replace(/\(.*?\)|@.*|\b(CPU|Processor)\b/g, '')
    .trim()
    .replace(/[^A-Za-z0-9]+/g, '-');
  const kind = options.against ? '-against' : options.snapshot ? '-own' : '';
  for (let number = 1; ; number++) {
    const file = join(folder, `${date}-${name}${kind}${number > 1 ? `-${number}` : ''}.json`);
    if (!existsSync(file)) return file;
  }
}

export function saveResults(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  // the token of a service is nobody else's business
  const { token: _, ...options } = results.options;
  // a list of numbers is one line: samples are many
  const text = JSON.stringify({ ...results, options }, null, 1).replace(/\[\n[-+\d.,enul\s]*\]/g, (list) =>
    list.replace(/\s+/g, ''),
  );
  writeFileSync(file, `${text}\n`);
}

/** Reads a file of results. Throws an error that names it. */
export function readResults(file: string): Results {
  try {
    const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
    if (!results.machine || !Array.isArray(results.inprocess))
      throw new Error('It holds no results of "npm run bench".');
    return results;
  } catch (error) {
    throw new Error(`option '--report': ${file}: ${(error as Error).message.replace(/\s+/g, ' ')}`);
  }
}
