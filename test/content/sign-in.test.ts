/** Callers are known by the API tokens, users and secrets of the Strapi that the content comes from. */
import { describe, expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { settingsOf } from '../../src/content/registry/put-content.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { OpenOptions } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import type { ApiToken, SignInSecrets } from '../../src/model/access/definitions.ts';
import { readConfig, readOptions } from '../../src/model/settings/read-config.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { jwtOf, signJwt } from '../support/jwt.ts';

interface Credentials {
  apiTokens?: readonly ApiToken[];
  secrets?: SignInSecrets | null;
}

const find = 'api::thing.thing.find';
const roles = [
  { type: 'public', permissions: [] },
  { type: 'editor', permissions: [find] },
];
const user = [{ id: 1, documentId: 'u', username: 'u', confirmed: true, role: 'editor' }];
const tokens = [apiToken('all'), apiToken('none', { type: 'custom' })];

async function load(credentials: Credentials): Promise<LoadedSnapshot> {
  const snapshot = thingSnapshot({}, [], { entries: { thing: [{ documentId: 'a' }], user }, roles });
  return { ...(await loadSnapshot(snapshot)), ...credentials };
}

async function openContent(credentials: Credentials, options: OpenOptions = {}): Promise<Content> {
  return new Content(await load(credentials), readOptions(options), 0);
}

const ask = async (content: Content, credential: string) =>
  (await content.answer('/api/things', { authorization: `Bearer ${credential}` })).status;

describe('a project that is served', () => {
  test('lets its API tokens and its users in, without settings', async () => {
    const content = await openContent({ apiTokens: tokens, secrets });
    expect(await ask(content, 'all')).toBe(200);
    expect(await ask(content, 'none')).toBe(403);
    expect(await ask(content, 'other')).toBe(401);
    expect(await ask(content, jwtOf(1))).toBe(200);
    expect(await ask(content, jwtOf(1, { secret: 'other' }))).toBe(401);
  });

  test('has users with access tokens in its session mode', async () => {
    const content = await openContent({ secrets: { ...secrets, jwtManagement: 'refresh' } });
    expect(await ask(content, signJwt({ userId: '1', type: 'access' }))).toBe(200);
    expect(await ask(content, jwtOf(1))).toBe(401);
  });

  test('keeps its credentials when entries change', async () => {
    const content = await openContent({ apiTokens: tokens, secrets });
    expect(await ask(content, 'all')).toBe(200);
    content.apply({ entities: [{ type: 'api::thing.thing', id: 9, data: { documentId: 'b' } }], links: [] });
    expect([await ask(content, 'all'), await ask(content, jwtOf(1))]).toEqual([200, 200]);
  });

  test('refuses what is gone since a batch was prepared', async () => {
    const content = await openContent({ apiTokens: tokens, secrets });
    const { history } = content;
    const entity = { type: 'api::thing.thing', id: 9, data: { documentId: 'b' } };
    const prepared = runAtOnce(history.prepareInSteps({ entities: [entity], links: [] }, 'batch'));
    history.keepLatest({ ...history.loaded, apiTokens: [apiToken('new')] });
    runAtOnce(history.commitInSteps(prepared));
    expect([await ask(content, 'all'), await ask(content, 'new')]).toEqual([401, 200]);
    expect(content.findOne('things', 'b').data.documentId).toBe('b');
  });

  test('refuses what is gone after a reload, and takes what is new', async () => {
    const content = await openContent({ apiTokens: tokens, secrets });
    expect([await ask(content, 'all'), await ask(content, jwtOf(1))]).toEqual([200, 200]);
    const next = { ...secrets, jwtSecret: 'the next secret' };
    const reloaded = await load({ apiTokens: [apiToken('new'), tokens[1]], secrets: next });
    expect(content.history.replace(reloaded)).toBe(true);
    expect([await ask(content, 'all'), await ask(content, 'new')]).toEqual([401, 200]);
    expect([await ask(content, jwtOf(1)), await ask(content, jwtOf(1, { secret: next.jwtSecret }))]).toEqual([
      401, 200,
    ]);
    expect(content.callerName('Bearer all')).toBeNull();
    expect(content.callerName(`Bearer ${jwtOf(1)}`)).toBeNull();
  });

  test('identifies callers anew without another version, while one is pinned, and in versions that are pinned later', async () => {
    const content = await openContent({ apiTokens: tokens, secrets });
    const [first] = content.versions;
    const batch = { entities: [{ type: 'api::thing.thing', id: 9, data: { documentId: 'b' } }], links: [] };
    content.apply(batch);
    const { version } = content;
    const statuses = async () => [await ask(content, 'all'), await ask(content, 'new'), await ask(content, jwtOf(1))];
    for (let i = 0; i < 3; i++) expect(await statuses()).toEqual([200, 401, 200]);
    const identify = (access: Credentials) => content.history.replace({ ...content.history.loaded, ...access });
    const { hits } = content.history.cacheFigures.url;
    expect(identify({ apiTokens: [apiToken('new')], secrets: { ...secrets, jwtSecret: 'other' } })).toBe(false);
    expect(await statuses()).toEqual([401, 200, 401]);
    // the reply to a caller with the same permissions stays cached
    expect([content.version, content.history.cacheFigures.url.hits]).toEqual([version, hits + 1]);
    content.pin(first.version);
    expect(await statuses()).toEqual([401, 200, 401]);
    identify({ apiTokens: tokens, secrets });
    expect(await statuses()).toEqual([200, 401, 200]);
    // content that is loaded while a version is pinned says who callers are
    content.history.replace(await load({ apiTokens: [apiToken('new')], secrets: null }));
    expect([await statuses(), content.pinned?.version]).toEqual([[401, 401, 401], first.version]);
    content.unpin();
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  test.each<[string, Credentials, boolean]>([
    ['nothing', { apiTokens: tokens, secrets: { ...secrets } }, false],
    ['a secret', { apiTokens: tokens, secrets: { ...secrets, apiTokenSalt: 'other' } }, true],
    ['the permissions of a token', { apiTokens: [tokens[0], { ...tokens[1], permissions: [find] }], secrets }, true],
    ['a token', { apiTokens: [tokens[0]], secrets }, true],
  ])('is another one where %s differs', async (_, credentials, isOther) => {
    const content = await openContent({ apiTokens: tokens, secrets });
    expect(content.history.replace(await load(credentials))).toBe(isOther);
  });

  test('names callers by tokens that have not expired', async () => {
    const old = apiToken('old', { expires: Date.now() - 1 });
    const content = await openContent({ apiTokens: [...tokens, old], secrets });
    expect(content.callerName('Bearer all')).toBe(`token ${sha256('all')}`);
    expect(content.callerName('Bearer old')).toBeNull();
    expect(content.callerName('Bearer other')).toBeNull();
  });
});

describe('settings', () => {
  test('of tokens add to those of the project, and win', async () => {
    const own = (name: string) => ({ name, sha256: sha256(name), type: 'custom' as const, permissions: [] });
    const content = await openContent({ apiTokens: tokens, secrets }, { tokens: [own('own'), own('all')] });
    expect([await ask(content, 'own'), await ask(content, 'all'), await ask(content, 'none')]).toEqual([403, 403, 403]);
    expect(await ask(await openContent({ apiTokens: tokens, secrets }, { tokens: [] }), 'all')).toBe(200);
  });

  test('of JWTs take the place of those of the project', async () => {
    const content = await openContent({ secrets }, { jwtSecret: 'mine', jwtManagement: 'refresh' });
    const access = { userId: '1', type: 'access' };
    expect(await ask(content, signJwt(access, { secret: 'mine' }))).toBe(200);
    expect(await ask(content, signJwt(access))).toBe(401);
    expect(await ask(content, jwtOf(1, { secret: 'mine' }))).toBe(401);
    expect(await ask(content, jwtOf(1))).toBe(401);
  });

  test('can close the content to the credentials of the project', async () => {
    const content = await openContent({ apiTokens: tokens, secrets }, { strapiCredentials: false });
    expect([await ask(content, 'all'), await ask(content, jwtOf(1))]).toEqual([401, 401]);
  });
});

test('a content that is put accepts its own tokens only', async () => {
  const put = { name: 'pr', snapshot: 'x', isUploaded: false, hosts: [], tokens: [], putAt: '', expires: null };
  const content = new Content(await load({ apiTokens: tokens, secrets }), settingsOf(put, readConfig({})), 0);
  expect([await ask(content, 'all'), await ask(content, jwtOf(1))]).toEqual([401, 401]);
});
