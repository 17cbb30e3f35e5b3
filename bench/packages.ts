import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { kept, keptAt } from './kept.ts';
import { runNpm } from './program.ts';

/** Packages that only some peers and loads need. Each has a folder of its own, filled when something needs it. */

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
const lockfile = readFileSync(new URL('./package-lock.json', import.meta.url), 'utf8');

/** Versions by name. */
export const packageVersions: Record<string, string> = manifest.dependencies;

function keptName(name: string): string {
  // compiled packages belong to one version of Node's binary interface
  const hash = createHash('sha256').update(lockfile).update(process.versions.modules);
  return `package-${name}-${hash.digest('hex').slice(0, 12)}`;
}

/** A package that was installed. */
export function packaged<Exports>(name: string): Exports {
  return createRequire(join(keptAt(keptName(name)), 'package.json'))(name) as Exports;
}

/** Throws an error if a package has no version in bench/package.json or its lockfile. */
export function checkPackages(names: string[]): void {
  const entries = JSON.parse(lockfile).packages;
  const unknown = names.find((name) => !packageVersions[name] || !entries[`node_modules/${name}`]);
  if (unknown !== undefined)
    throw new Error(
      `the package ${unknown} is not in bench/package.json and its lockfile. ` +
        `Run "npm install --package-lock-only --save-exact ${unknown}" in bench/.`,
    );
}

/** Installs those that are missing. */
export async function installPackages(names: string[], say: (line: string) => void): Promise<void> {
  for (const name of new Set(names)) {
    if (existsSync(keptAt(keptName(name)))) continue;
    const isCompiled = manifest.allowScripts?.[name] === true;
    say(`installs ${name}${isCompiled ? ' (may compile for some minutes)' : ''} in ${keptAt(keptName(name))}`);
    await kept(keptName(name), async (folder) => {
      const dependencies = { [name]: packageVersions[name] };
      const locked = JSON.parse(lockfile);
      locked.packages[''].dependencies = dependencies;
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(locked));
      await runNpm(folder, 'ci', '--no-fund', '--no-audit');
    });
  }
}
