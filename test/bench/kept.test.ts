/** The benchmark files in the system's temporary folder: packages, contents, builds. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildVersion } from '../../bench/compare/version.ts';
import { removeLeftovers } from '../../bench/kept.ts';
import { checkPackages } from '../../bench/packages.ts';
import { project } from '../../bench/program.ts';
import { temporaryFolder } from '../support/folders.ts';

test('removes unfinished files of ended runs', () => {
  const folder = temporaryFolder();
  const dead = join(folder, 'magazine.unfinished-2147483646');
  const running = join(folder, `magazine.unfinished-${process.pid}`);
  const finished = join(folder, 'magazine');
  for (const each of [dead, running, finished]) mkdirSync(each);
  removeLeftovers(folder);
  expect([dead, running, finished].map((each) => existsSync(each))).toEqual([false, true, true]);
});

test('rejects a package without a version', () => {
  expect(() => checkPackages(['sift', 'lokijs'])).not.toThrow();
  expect(() => checkPackages(['sift', 'lodash'])).toThrow('the package lodash is not in bench/package.json');
});

test('does not build the commit that is checked out without changes', async () => {
  const hash = 'f'.repeat(40);
  const same = await buildVersion(hash, () => expect.fail('it builds'), { hash, isChanged: false });
  expect(same).toEqual({ name: 'fffffff', folder: project });
});
