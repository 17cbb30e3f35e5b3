import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const tests = join(import.meta.dirname, '..');

test('test/README.md lists every folder with tests', () => {
  const page = readFileSync(join(tests, 'README.md'), 'utf8');
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
  expect([...folders].filter((folder) => !page.includes(`| \`${folder}/\` |`))).toEqual([]);
});

test('every test that vitest.config.ts names exists', () => {
  const config = readFileSync(join(tests, '../vitest.config.ts'), 'utf8');
  const named = Array.from(config.matchAll(/'(test\/[\w/-]+\/)([\w*.-]+\.ts)'/g));
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter(
    ([, folder, file]) => !existsSync(join(tests, '..', folder, file === '*.test.ts' ? '' : file)),
  );
  expect(missing.map(([, folder, file]) => folder + file)).toEqual([]);
});

test('every script that test/README.md names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(tests, '../package.json'), 'utf8'));
  const named = readFileSync(join(tests, 'README.md'), 'utf8').matchAll(/npm run ([\w:]+)/g);
  expect(Array.from(named, ([, script]) => script).filter((script) => !(script in scripts))).toEqual([]);
});
