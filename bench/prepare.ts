import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtCli } from './lectern.ts';

const benchFolder = fileURLToPath(new URL('.', import.meta.url));
const projectFolder = join(benchFolder, '..');

/** What is generated and measured stands here. It may be deleted at any time. */
const workFolder = join(tmpdir(), 'lectern-bench');

/** The packages of the peers, from the lockfile beside this file, and SQLite's native part. */
export function installPackages(): void {
  if (!existsSync(join(benchFolder, 'node_modules'))) run(npm, ['ci', '--no-fund', '--no-audit'], benchFolder);
  const native = join(benchFolder, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node');
  if (!existsSync(native)) run(npm, ['rebuild', 'better-sqlite3'], benchFolder);
  if (!existsSync(native)) throw new Error(`${native} was not built: see "SQLite" in bench/README.md`);
}

/** The program as users run it. */
export function buildProgram(): void {
  run(npm, ['run', '--silent', 'build'], projectFolder);
  if (!existsSync(builtCli)) throw new Error(`${builtCli} was not built`);
}

/** The folder of a generated snapshot: made once for each size and seed, and found again by the next run. */
export function snapshotOf(entries: number, seed = 1): string {
  const folder = join(workFolder, `${entries}-${seed}`);
  if (existsSync(folder)) return folder;
  // a run that is stopped leaves no half of a snapshot
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
  const generator = join(projectFolder, 'data/generate.ts');
  const options = ['--entries', String(entries), '--seed', String(seed), '--out', unfinished];
  run(process.execPath, [...process.execArgv, generator, ...options], projectFolder);
  renameSync(unfinished, folder);
  return folder;
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Its output goes to stderr: stdout is for the tables. */
function run(command: string, options: string[], folder: string): void {
  execFileSync(command, options, { cwd: folder, stdio: ['ignore', process.stderr, process.stderr] });
}
