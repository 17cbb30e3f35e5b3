import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { kept, keptAt } from '../kept.ts';
import { buildProgram, project, runNpm } from '../program.ts';

/** A version of Lectern that is built: its folder holds `dist/` and the packages that it needs. */
export interface Version {
  /** As tables name it. */
  name: string;
  folder: string;
}

/** With a slash at the end. */
export const distOf = ({ folder }: Version): string => pathToFileURL(join(folder, 'dist/')).href;
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
    const built = ['src', 'package.json', 'package-lock.json'];
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', ...built);
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
export async function buildVersion(
  hash: string,
  say: (line: string) => void,
  checkout = checkedOut(),
): Promise<Version> {
  const name = hash.slice(0, 7);
  if (checkout?.hash === hash && !checkout.isChanged) return { name, folder: project };
  const keptName = `commit-${hash}`;
  if (!existsSync(keptAt(keptName))) say(`builds ${name} in ${keptAt(keptName)}`);
  const folder = await kept(keptName, async (unfinished) => {
    const archive = execFileSync('git', ['archive', '--format=tar', hash], { cwd: project, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-xf', '-'], { cwd: unfinished, input: archive });
    await runNpm(unfinished, 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
    await buildProgram(unfinished);
    if (!existsSync(programOf({ name, folder: unfinished }))) throw new Error(`${hash} builds no dist/cli.js.`);
    await runNpm(unfinished, 'prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund');
  });
  return { name, folder };
}

function git(...options: string[]): string {
  return execFileSync('git', options, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
