import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { keptFolder, unfinishedOf } from './kept.ts';

/**
 * Packages that only some peers and loads need. Each has a folder of its own in the system's temporary folder, under a
 * hash of its own part of the lockfile, and is installed when something that needs it is chosen.
 */

const manifest = readFileSync(new URL('./package.json', import.meta.url), 'utf8');
const lockfile = readFileSync(new URL('./package-lock.json', import.meta.url), 'utf8');

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** The entries of a lockfile that a package needs, by their paths, in a fixed order. */
export function lockedFor(name: string, entries: Record<string, Locked>): [string, Locked][] {
  const found = new Map<string, Locked>();
  const add = (needed: string, from: string) => {
    for (let parent = from; ; parent = parent.slice(0, Math.max(0, parent.lastIndexOf('/node_modules/')))) {
      const path = `${parent ? `${parent}/` : ''}node_modules/${needed}`;
      if (entries[path]) {
        if (found.has(path)) return;
        found.set(path, entries[path]);
        const { dependencies, optionalDependencies, peerDependencies } = entries[path];
        for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
          add(next, path);
        return;
      }
      if (parent === '') return;
    }
  };
  add(name, '');
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

function folderOf(name: string): string {
  const hash = createHash('sha256').update(JSON.stringify(lockedFor(name, JSON.parse(lockfile).packages)));
  return join(keptFolder, `package-${name}-${hash.digest('hex').slice(0, 12)}`);
}

/** A package that was installed. */
export function packaged<Exports>(name: string): Exports {
  return createRequire(join(folderOf(name), 'package.json'))(name) as Exports;
}

/** Name and version of every package. */
export function packageVersions(): Record<string, string> {
  return JSON.parse(manifest).dependencies as Record<string, string>;
}

/** Throws an error if a package has no version in bench/package.json or its lockfile. */
export function checkPackages(names: string[]): void {
  const entries = JSON.parse(lockfile).packages;
  const unknown = names.find((name) => !packageVersions()[name] || !entries[`node_modules/${name}`]);
  if (unknown !== undefined)
    throw new Error(
      `the package ${unknown} is not in bench/package.json and its lockfile. ` +
        `Run "npm install --package-lock-only --save-exact ${unknown}" in bench/.`,
    );
}

/** Installs those that are missing. Says so through `say`, as it takes a while. */
export function installPackages(names: string[], say: (line: string) => void): void {
  for (const name of new Set(names)) {
    const folder = folderOf(name);
    if (existsSync(folder)) continue;
    const isCompiled = JSON.parse(manifest).allowScripts?.[name] === true;
    say(`installs ${name}${isCompiled ? ' (may compile for some minutes)' : ''} in ${folder}`);
    const unfinished = unfinishedOf(folder);
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
