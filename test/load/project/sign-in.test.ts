/** A Strapi project's own API tokens and users read what they read from its export with settings. */
import { beforeAll, expect, test } from 'vitest';
import { Content } from '../../../src/content/content.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { readOptions } from '../../../src/model/settings/read-config.ts';
import { authorizations, lecternConfig, tokens } from '../../strapi/access.ts';
import { exportOf, unpackProject } from './recorded-projects.ts';

const paths = [
  'exhibits?fields=createdAt&pagination[pageSize]=3',
  'exhibits?fields=createdAt&status=draft&pagination[pageSize]=3',
  'tags?fields=createdAt',
  'claims?fields=createdAt',
  'users?fields=username',
  'users/me',
  'users-permissions/roles',
  'upload/files?fields=name',
  'i18n/locales',
  'nothing',
];

let loaded: LoadedSnapshot;
let project: Content;
let exported: Content;
beforeAll(async () => {
  loaded = await loadSnapshot(unpackProject('museum'));
  project = new Content(loaded, readOptions(), 0);
  exported = new Content(await loadSnapshot(exportOf('museum')), readOptions(lecternConfig()), 0);
});

async function answer(content: Content, path: string, authorization: string | undefined): Promise<string> {
  const { status, body } = await content.answer(`/api/${path}`, { authorization });
  return `${status} ${body}`;
}

test.each([...['public', 'unknown', 'member', 'guest'], ...tokens.map(({ name }) => name)])(
  'the caller %s gets the answers that settings give, without settings',
  async (caller) => {
    const known = { ...(await authorizations()), unknown: 'Bearer of no token' };
    const header = known[caller as keyof typeof known];
    for (const path of paths)
      expect(await answer(project, path, header), path).toBe(await answer(exported, path, header));
  },
);

test('the callers differ in what they may read', async () => {
  const headers = Object.values(await authorizations());
  const answers = headers.map(async (header) => {
    const statuses = await Promise.all(paths.map(async (path) => (await answer(project, path, header)).slice(0, 3)));
    return statuses.join(' ');
  });
  expect(new Set(await Promise.all(answers)).size).toBe(headers.length);
});

test('the tokens are those of the database, with the two of every Strapi', () => {
  const names = ['Read Only', 'Full Access', ...tokens.map(({ name }) => name)];
  expect(loaded.apiTokens!.map(({ name }) => name)).toEqual(names);
});

test('the secrets, and what is encrypted, are in no other part of the snapshot', () => {
  const { secrets, store, ...rest } = loaded;
  expect(secrets).toMatchObject({ jwtManagement: 'legacy-support' });
  const text = JSON.stringify(rest);
  const hidden = [secrets!.jwtSecret!, secrets!.apiTokenSalt!, ...tokens.map((token) => token.text)];
  expect(hidden.filter((value) => text.includes(value))).toEqual([]);
});
