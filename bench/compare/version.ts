import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keptFolder, unfinishedOf } from '../kept.ts';
import { npm } from '../packages.ts';
import { buildProgram, project } from '../program.ts';

/** A version of Lectern that is built: its folder holds `dist/` and the packages that it needs. */
export interface Version {
  /** As tables name it. */
  name: string;
  folder: string;
}

export const libraryOf = ({ folder }: Version): string => pathToFileURL(join(folder, 'dist/index.js')).href;
export const programOf = ({ folder }: Version): string => join(folder, 'dist/cli.js');

/** The whole hash of the commit that a branch, tag or hash names. */
export function resolveCommit(ref: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  } catch {
    throw new Error(
      `option '--against': this repository has no commit ${ref}. Name a branch, tag or hash; ` +
        'a shallow clone gets the others with "git fetch --unshallow".',
    );
  }
}

/** The commit of this checkout, and whether tracked files differ from it. Null outside of a git repository. */
export function checkedOut(): { hash: string; isChanged: boolean } | null {
  try {
    const changes = git(
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      'src',
      'package.json',
      'package-lock.json',
    );
    return { hash: git('rev-parse', 'HEAD'), isChanged: changes !== '' };
  } catch {
    return null;
  }
}

/** This checkout, which has to be built already. */
export function thisVersion(): Version {
  const commit = checkedOut();
  const what = commit ? ` (${commit.hash.slice(0, 7)}${commit.isChanged ? ' with changes' : ''})` : '';
  return { name: `this checkout${what}`, folder: project };
}

/**
 * Builds a commit with the packages of its own lockfile. The next run finds it again. The commit that is checked out
 * without changes is built already.
 */
export function buildVersion(hash: string, say: (line: string) => void, checkout = checkedOut()): Version {
  if (checkout?.hash === hash && !checkout.isChanged) return { name: hash.slice(0, 7), folder: project };
  const version: Version = { name: hash.slice(0, 7), folder: join(keptFolder, `commit-${hash}`) };
  if (existsSync(version.folder)) return version;
  say(`builds ${version.name} in ${version.folder}`);
  const unfinished = unfinishedOf(version.folder);
  mkdirSync(unfinished, { recursive: true });
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', hash], { cwd: project, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-xf', '-'], { cwd: unfinished, input: archive });
    runNpm(unfinished, ['ci', '--ignore-scripts', '--prefer-offline']);
    buildProgram(unfinished);
    if (!existsSync(programOf({ ...version, folder: unfinished }))) throw new Error(`${hash} builds no dist/cli.js.`);
    runNpm(unfinished, ['prune', '--omit=dev', '--ignore-scripts']);
    // another run may have built it meanwhile
    if (!existsSync(version.folder)) renameSync(unfinished, version.folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return version;
}

function runNpm(folder: string, options: string[]): void {
  // stdout is for the tables
  execFileSync(npm, [...options, '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
}

function git(...options: string[]): string {
  return execFileSync('git', options, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
