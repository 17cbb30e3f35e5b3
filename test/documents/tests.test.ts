import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const tests = join(import.meta.dirname, '..');

test('test/README.md lists every folder with tests', () => {
  const page = readFileSync(join(tests, 'README.md'), 'utf8');
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
  expect([...folders].filter((folder) => !page.includes(`| \`${folder}/\` |`))).toEqual([]);
});

test('every script that test/README.md names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(tests, '../package.json'), 'utf8'));
  const named = readFileSync(join(tests, 'README.md'), 'utf8').matchAll(/npm run ([\w:]+)/g);
  expect(Array.from(named, ([, script]) => script).filter((script) => !(script in scripts))).toEqual([]);
});
