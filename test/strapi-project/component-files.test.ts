import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readComponentFiles } from '../../src/load/project/project-folder.ts';
import { temporaryFolder } from '../support/folders.ts';

/** A project whose sources and compiled files have a component of the same name. */
function project({ isTypeScript }: { isTypeScript: boolean }): string {
  const folder = temporaryFolder();
  for (const root of ['src', 'dist/src']) {
    const category = join(folder, root, 'components', 'shared');
    mkdirSync(category, { recursive: true });
    writeFileSync(join(category, 'seo.json'), JSON.stringify({ info: { displayName: root } }));
  }
  if (isTypeScript) writeFileSync(join(folder, 'tsconfig.json'), '{}');
  return folder;
}

const originOf = (folder: string) => readComponentFiles(folder).map(({ definition }) => definition!.info);

test.each([
  [true, 'dist/src', 'src'],
  [false, 'src', 'dist/src'],
])('reads the components that Strapi runs, in TypeScript (%s) from %s', (isTypeScript, run, other) => {
  const folder = project({ isTypeScript });
  expect(originOf(folder)).toEqual([{ displayName: run }]);
  rmSync(join(folder, run), { recursive: true });
  expect(originOf(folder)).toEqual([{ displayName: other }]);
});

test('says what is wrong with a file', () => {
  const folder = project({ isTypeScript: false });
  const file = (name: string) => join(folder, 'src', 'components', 'shared', name);
  writeFileSync(file('a.json'), '{');
  writeFileSync(file('b.json'), '[]');
  expect(readComponentFiles(folder)).toMatchObject([
    { uid: 'shared.seo', problem: null },
    { uid: 'shared.b', definition: null, problem: 'expected an object' },
    { uid: 'shared.a', definition: null, problem: expect.stringMatching(/^is not JSON: /) },
  ]);
});
