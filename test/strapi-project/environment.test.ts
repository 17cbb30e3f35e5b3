/** The environment of a Strapi project, by the rules by which Strapi reads it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readProjectEnvironment } from '../../src/load/project/configuration.ts';
import { temporaryFolder } from '../support/folders.ts';

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('reads quoted values, comments and exports of .env', async () => {
  const text = `
# a comment
JWT_SECRET="se#cret"
API_TOKEN_SALT='sa lt' # a comment
export DATABASE_FILENAME=.tmp/data.db
EMPTY=
LINES="one\\ntwo"
`;
  expect(Object.fromEntries(await readProjectEnvironment(folderWith({ '.env': text }), {}))).toEqual({
    JWT_SECRET: 'se#cret',
    API_TOKEN_SALT: 'sa lt',
    DATABASE_FILENAME: '.tmp/data.db',
    EMPTY: '',
    LINES: 'one\ntwo',
  });
});

test('the process takes precedence over the file, even with an empty value', async () => {
  const folder = folderWith({ '.env': 'ONE=file\nTWO=file\nTHREE=file\n' });
  const variables = await readProjectEnvironment(folder, {
    ONE: 'process',
    TWO: '',
    THREE: undefined,
    FOUR: 'process',
  });
  expect(Object.fromEntries(variables)).toEqual({ ONE: 'process', TWO: '', THREE: 'file', FOUR: 'process' });
});

test('ENV_PATH names another file, relative to the project', async () => {
  const folder = folderWith({ '.env': 'NAME=usual\n', 'other.env': 'NAME=other\n' });
  expect((await readProjectEnvironment(folder, { ENV_PATH: 'other.env' })).get('NAME')).toBe('other');
});

test('a missing file counts as empty, any other failure is an error', async () => {
  expect((await readProjectEnvironment(temporaryFolder(), {})).size).toBe(0);
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.env'));
  await expect(readProjectEnvironment(folder, {})).rejects.toThrow('EISDIR');
});
