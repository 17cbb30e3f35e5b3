import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPrivateAttributes } from '../../src/load/project/project-folder.ts';
import { temporaryFolder } from '../support/folders.ts';

function read(api: string | null): string[] {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'config'));
  if (api !== null) writeFileSync(join(folder, 'config', 'api.ts'), api);
  return readPrivateAttributes(folder, new Map());
}

test('reads the names that the configuration of the API lists', () => {
  const text = `export default ({ env }) => ({
    rest: { maxLimit: limitOf(env) },
    responses: { privateAttributes: ['createdAt', 'internalNote'] },
  });`;
  expect(read(text)).toEqual(['createdAt', 'internalNote']);
});

test('there are none without such a list or file', () => {
  expect(read(null)).toEqual([]);
  expect(read('export default { rest: { maxLimit: 100 } };')).toEqual([]);
});

test('rejects a list that code computes, and one that is none', () => {
  expect(() => read('export default () => ({\n  responses: { privateAttributes: namesOf(rest) } });')).toThrow(
    /config\/api\.ts:2: responses\.privateAttributes cannot be read \(.*\), so it is not known what is private; write it as a list of names/,
  );
  expect(() => read(`export default { responses: { privateAttributes: 'createdAt' } };`)).toThrow(
    'config/api: responses.privateAttributes is not a list of names',
  );
});
