import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Packages: pinned, verified by digest, permissively licensed, without install scripts. */

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  license?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  engines?: { node?: string };
}

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'));
const { dependencies, devDependencies, engines } = read('package.json');
const packages = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(([path]) => path);
const shipped = packages.filter(([, { dev, devOptional }]) => !dev && !devOptional);

/** Permissive licences. */
const permissive = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', '0BSD'];

test('package.json pins exact versions and the lockfile a digest of each package', () => {
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    // an alias may name another version of a package
    expect(version, name).toMatch(/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/);
  }
  expect(shipped.length).toBeGreaterThan(Object.keys(dependencies).length);
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
});

test('shipped packages have permissive licences', () => {
  const others = shipped.filter(([, { license }]) => !permissive.includes(license ?? ''));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('shipped packages run no install scripts', () => {
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
});

test('shipped packages support the oldest releases of Node that package.json names', () => {
  const oldest = Array.from((engines.node as string).matchAll(/(\d+)\.(\d+)\.0/g), ([, ...parts]) => parts.map(Number));
  expect(oldest).toHaveLength(2);
  const refusing = shipped.filter(([, locked]) => !oldest.every((version) => accepts(locked.engines?.node, version)));
  expect(refusing.map(([path, locked]) => `${path}: ${locked.engines?.node}`)).toEqual([]);
});

/** Whether a version range contains `major.minor.0`. False for ranges that cannot be parsed. */
function accepts(range: string | undefined, [major, minor]: number[]): boolean {
  if (range === undefined || range === '*') return true;
  return range.split('||').some((part) => {
    const found = /^(>=|\^)?\s*(\d+)(?:\.(\d+|x))?(?:\.\d+)?$/.exec(part.trim());
    if (!found) return false;
    const [, sign, first, second = '0'] = found;
    const atLeast = major > Number(first) || (major === Number(first) && minor >= (Number(second) || 0));
    return sign === '>=' ? atLeast : atLeast && major === Number(first);
  });
}
