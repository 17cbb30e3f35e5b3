/** Builds earlier versions of Lectern. */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Returns the first ten digits of a commit, and its day. */
export function describeCommit(commit: string): { readonly hash: string; readonly day: string } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const [hash, day] = git('log', '-1', '--format=%H %cs', commit).split(' ');
  return { hash: hash.slice(0, 10), day };
}

/** Builds a commit in the temporary folder, unless that was done before. Returns the path of its command line. */
export function buildVersion(commit: string): string {
  const folder = join(tmpdir(), `lectern-version-${commit}`);
  const cli = join(folder, 'dist/cli.js');
  if (existsSync(cli)) return cli;
  const part = `${folder}.${process.pid}`;
  mkdirSync(part);
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', part], { input: archive });
    const options: ExecFileSyncOptions = { cwd: part, stdio: ['ignore', 'ignore', 'inherit'] };
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], options);
    execFileSync(join(part, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], options);
    renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return cli;
}
