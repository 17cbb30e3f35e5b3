import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Packages that only some peers and loads need. Each has a folder of its own in the system's temporary folder, under a
 * hash of the lockfile, and is installed when something that needs it is chosen.
 */

const manifest = readFileSync(new URL('./package.json', import.meta.url), 'utf8');
const lockfile = readFileSync(new URL('./package-lock.json', import.meta.url), 'utf8');
const hash = createHash('sha256').update(manifest).update(lockfile).digest('hex').slice(0, 12);

const folderOf = (name: string): string => join(tmpdir(), 'lectern-bench', `packages-${hash}`, name);

/** A package that was installed. */
export function packaged<Exports>(name: string): Exports {
  return createRequire(join(folderOf(name), 'package.json'))(name) as Exports;
}

export const pathInPackage = (name: string): string =>
  createRequire(join(folderOf(name), 'package.json')).resolve(name);

/** Name and version of every package. */
export function packageVersions(): Record<string, string> {
  return JSON.parse(manifest).dependencies as Record<string, string>;
}

/** Installs those that are missing. Says so through `say`, as it takes a while. */
export function installPackages(names: string[], say: (line: string) => void): void {
  for (const name of new Set(names)) {
    const folder = folderOf(name);
    if (existsSync(folder)) continue;
    say(`installs ${name} in ${folder}`);
    // a run that is stopped leaves no half of a package
    const unfinished = `${folder}.unfinished-${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    const dependencies = { [name]: packageVersions()[name] };
    const locked = JSON.parse(lockfile);
    locked.packages[''].dependencies = dependencies;
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ ...JSON.parse(manifest), dependencies }));
    writeFileSync(join(unfinished, 'package-lock.json'), JSON.stringify(locked));
    execFileSync(npm, ['ci', '--no-fund', '--no-audit'], { cwd: unfinished, stdio: ['ignore', 2, 2] });
    if (existsSync(folder)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, folder);
  }
}

export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
