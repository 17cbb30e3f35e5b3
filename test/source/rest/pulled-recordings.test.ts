import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type Content, type OpenOptions, open } from '../../../src/index.ts';
import { authorization, gazetteExport, gazetteOptions, readRecordings } from '../../conformance/gazette.ts';
import { authorizations, lecternConfig, tokens } from '../../strapi/access.ts';
import { sha256 } from '../../support/guide.ts';
import { loadShared, openShared } from '../../support/open-shared.ts';
import { stopServers } from '../../support/server.ts';
import { pullFrom } from './pulling.ts';

/** Content that was pulled answers as the content that it was pulled from. */

afterAll(stopServers);

/** Lectern serves roles without their permissions. */
const withoutPermissions =
  'The permissions of roles cannot be read without plugin::users-permissions.role.find and findOne. ' +
  'The setting "roles" defines who may read what.';

const rolesOf = async (path: string) => [...(await loadShared(path)).roles];

interface Asked {
  path: string;
  authorization: string | undefined;
}

/** Returns the requests that are answered differently, with both answers. */
async function differences(original: Content, pulled: Content, requests: Asked[]): Promise<string[]> {
  const different: string[] = [];
  for (const { path, authorization } of requests) {
    const [expected, found] = await Promise.all([
      original.answer(path, { authorization }),
      pulled.answer(path, { authorization }),
    ]);
    if (expected.status === found.status && expected.body.equals(found.body)) continue;
    if (expected.status === found.status && isEqualExceptOrder(expected.body, found.body)) continue;
    different.push(`${decodeURIComponent(path)}\n  ${expected.body}\n  ${found.body}`);
  }
  return different;
}

/** The locales of a document are in the order of the rows of a table, which replies do not show otherwise. */
function isEqualExceptOrder(expected: Buffer, found: Buffer): boolean {
  const ordered = (body: Buffer) =>
    JSON.parse(body.toString(), (key, value: unknown) =>
      key === 'localizations' ? (value as { id: number }[]).toSorted((a, b) => a.id - b.id) : value,
    );
  return isDeepStrictEqual(ordered(expected), ordered(found));
}

async function museumRequests(): Promise<Asked[]> {
  const known = await authorizations();
  const folder = new URL('../../conformance/museum/', import.meta.url);
  const text = ['recordings', 'written'].map((name) => gunzipSync(readFileSync(new URL(`${name}.jsonl.gz`, folder))));
  return text
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { path: string; caller: string })
    .map(({ path, caller }) => ({ path, authorization: known[caller] }));
}

test('a museum that was pulled with full access answers as the museum', async () => {
  const path = fileURLToPath(new URL('../../conformance/museum/export.tar.gz', import.meta.url));
  const options = lecternConfig() as OpenOptions;
  const original = await openShared(path, options);
  const { folder, warnings } = await pullFrom(original, tokens[0].text);
  expect(warnings).toEqual([withoutPermissions]);
  const requests = await museumRequests();
  expect(requests.length).toBe(1717);
  expect(await differences(original, await open(folder, { ...options, roles: await rolesOf(path) }), requests)).toEqual(
    [],
  );
});

test('a gazette that was pulled with full access answers as the gazette', async () => {
  const all = { name: 'all', type: 'full-access' as const, sha256: sha256('all') };
  const options: OpenOptions = { ...gazetteOptions, tokens: [...gazetteOptions.tokens!, all] };
  const original = await openShared(gazetteExport, options);
  const { folder, warnings } = await pullFrom(original, 'all');
  expect(warnings).toEqual([withoutPermissions]);
  const requests = readRecordings().map(({ path, auth }) => ({ path, authorization: authorization(auth) }));
  expect(requests.length).toBeGreaterThan(1000);
  expect(
    await differences(original, await open(folder, { ...options, roles: await rolesOf(gazetteExport) }), requests),
  ).toEqual([]);
});

test('content that was pulled with few rights answers the same where it names nothing else', async () => {
  const few = {
    name: 'few',
    type: 'custom' as const,
    sha256: sha256('few'),
    permissions: [
      'plugin::content-type-builder.content-types.getContentTypes',
      'plugin::content-type-builder.components.getComponents',
      'api::restaurant.restaurant.find',
      'api::chef.chef.find',
    ],
  };
  const options: OpenOptions = { ...gazetteOptions, tokens: [...gazetteOptions.tokens!, few] };
  const original = await openShared(gazetteExport, options);
  const { folder, warnings, types } = await pullFrom(original, 'few');
  expect([...types.readable.keys()].sort()).toEqual(['api::chef.chef', 'api::restaurant.restaurant']);
  expect(warnings).toContain(
    'api::article.article is left out: the token lacks the permission api::article.article.find.',
  );
  const pulled = await open(folder, options);
  const requests = readRecordings()
    .filter(({ auth, status }) => auth === 'some' && status === 200)
    .map(({ path }) => ({ path, authorization: authorization('some') }));
  expect(requests.length).toBeGreaterThan(10);
  // Strapi ignores a populated relation to a type that the token may not read
  const different = await differences(original, pulled, requests);
  expect(different.filter((each) => !/"Invalid key (categories|signature)"/.test(each))).toEqual([]);
});
