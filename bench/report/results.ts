import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HttpResult } from '../http/result.ts';
import type { InprocessResult } from '../inprocess/result.ts';
import type { LoadResult } from '../load/measure.ts';
import type { Options } from '../options.ts';
import { packageVersions } from '../packages.ts';
import { type Machine, thisMachine } from './machine.ts';

/** All that a run finds, as it is measured. Tables are made from it. */
export interface Results {
  commit: { hash: string; changed: boolean };
  machine: Machine;
  versions: { node: string; v8: string; packages: Record<string, string> };
  options: Options;
  inprocess: InprocessResult[];
  http: HttpResult[];
  load: LoadResult[];
}

export function newResults(options: Options): Results {
  const { node, v8 } = process.versions;
  return {
    commit: { hash: git('rev-parse', 'HEAD'), changed: git('status', '--porcelain') !== '' },
    machine: thisMachine(),
    versions: { node, v8, packages: packageVersions() },
    options,
    inprocess: [],
    http: [],
    load: [],
  };
}

/** Writes the file of the results, which is named after the day and the processor. Returns its path. */
export function saveResults(results: Results): string {
  const { date, processor } = results.machine;
  const folder = fileURLToPath(new URL('../results', import.meta.url));
  const name = processor
    .replace(/\(.*?\)|@.*|\b(CPU|Processor)\b/g, '')
    .trim()
    .replace(/[^A-Za-z0-9]+/g, '-');
  mkdirSync(folder, { recursive: true });
  const file = results.options.results ?? `${folder}/${date}-${name}.json`;
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  return file;
}

function git(...options: string[]): string {
  try {
    return execFileSync('git', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
