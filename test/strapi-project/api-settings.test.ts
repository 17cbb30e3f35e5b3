import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readApiSettings } from '../../src/load/project/project-settings.ts';
import { temporaryFolder } from '../support/folders.ts';

function read(api: string | null, variables: Record<string, string> = {}) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'config'));
  if (api !== null) writeFileSync(join(folder, 'config', 'api.ts'), api);
  return readApiSettings(folder, new Map(Object.entries(variables)));
}

test('reads the limits and the prefix of the API', () => {
  const text = `export default ({ env }) => ({
    rest: { prefix: '/v1', defaultLimit: 10, maxLimit: env.int('LIMIT', 50), withCount: true },
  });`;
  expect(read(text)).toEqual({ settings: { prefix: '/v1', defaultLimit: 10, maxLimit: 50 }, warnings: [] });
  expect(read(text, { LIMIT: '70' }).settings.maxLimit).toBe(70);
});

test('clamps the default to the maximum, as Strapi does', () => {
  expect(read('export default { rest: { defaultLimit: 200, maxLimit: 50 } };').settings).toEqual({
    defaultLimit: 50,
    maxLimit: 50,
  });
});

test('leaves out what is missing or no limit', () => {
  expect(read(null).settings).toEqual({});
  expect(read('export default { rest: {} };').settings).toEqual({});
  expect(read(`export default { rest: { defaultLimit: null, maxLimit: -1, prefix: 7 } };`).settings).toEqual({});
  expect(read(`export default { rest: { maxLimit: '30' } };`).settings).toEqual({ maxLimit: 30 });
});

test('warns of what the code computes', () => {
  const { settings, warnings } = read('export default () => ({\n  rest: { maxLimit: limitOf(7), defaultLimit: 5 } });');
  expect(settings).toEqual({ defaultLimit: 5 });
  expect(warnings).toMatchObject([
    {
      kind: 'unread-setting',
      message: expect.stringMatching(
        /^config\/api\.ts:2: rest\.maxLimit cannot be read \(.+\), so set maxLimit if it is not the default$/,
      ),
    },
  ]);
});
