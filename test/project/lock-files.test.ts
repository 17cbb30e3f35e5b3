import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Lock files name every package that any platform needs, so that `npm ci` installs on all of them. */

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  integrity?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

/** What the packages of Next.js and sharp that are built for a platform have in common. */
const platforms = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
  { os: 'win32', cpu: 'arm64' },
];

const lockOf = (folder: string): Record<string, Locked> =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../..', folder, 'package-lock.json'), 'utf8')).packages;

/** Whether a package finds another one, in its own node_modules or in one above it. */
function finds(packages: Record<string, Locked>, path: string, name: string): boolean {
  if (`${path && `${path}/`}node_modules/${name}` in packages) return true;
  if (path === '') return false;
  const above = path.lastIndexOf('node_modules/');
  return finds(packages, path.slice(0, Math.max(0, above - 1)), name);
}

describe.each(['.', 'deploy/preview-next'])('the lock file of %s', (folder) => {
  const packages = lockOf(folder);

  test('names each dependency of each package, optional ones too', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !finds(packages, path, name))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test('has a digest of each package', () => {
    const without = Object.entries(packages).filter(
      ([path, { integrity }]) => path && !integrity?.startsWith('sha512-'),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });
});

test.each(platforms)('the site of deploy/preview-next has its compiler and its images on %o', ({ os, cpu, libc }) => {
  const built = Object.entries(lockOf('deploy/preview-next')).filter(
    ([, locked]) => locked.os?.includes(os) && locked.cpu?.includes(cpu) && (!libc || locked.libc?.includes(libc)),
  );
  const names = built.map(([path]) => path.replace('node_modules/', ''));
  expect(names.filter((name) => name.startsWith('@next/swc-'))).toHaveLength(1);
  expect(names.filter((name) => /^@img\/sharp-(?!libvips)/.test(name))).toHaveLength(1);
});
