/** The request header `X-Lectern-At-Least` with several contents, each of which has its own versions, and previews. */
import { afterEach, describe, expect, test } from 'vitest';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { metric, until } from '../support/server.ts';
import { startContents, stopAll } from './running-contents.ts';

afterEach(stopAll);

const upsert = (documentId: string, title: string) => ({ upsert: 'api::thing.thing', entry: { documentId, title } });
const admin = { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents', 'changes'] }] };

async function start(given: string[]) {
  const running = await startContents({ given, settings: { admin } });
  const { port, adminPort, put } = running;
  const get = (path: string, headers = {}) => askServer(port, `${path}/api/things?sort=documentId`, { headers });
  return {
    ...running,
    get,
    ask: (path: string, least: string, headers = {}) => get(path, { 'X-Lectern-At-Least': least, ...headers }),
    versionOf: async (path: string, headers = {}) => (await get(path, headers)).headers['x-lectern-version'] as string,
    /** Returns the version that the change made. */
    change: async (content: string, title: string): Promise<string> => {
      const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
      const body = JSON.stringify({ changes: [upsert('one', title)] });
      const answer = await askServer(adminPort, `/_changes?content=${content}`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      return answer.json().version;
    },
    putPreview: async (options: object = {}) => {
      const { json } = await put('pr', { body: { base: 'main', changes: [upsert('two', 'new')], ...options } });
      expect(json().error).toBe(null);
    },
    untilWaiting: (count: number) =>
      until(async () => (await metric(adminPort, 'lectern_http_version_waits')) === count),
  };
}

/** The version after as many further changes. */
function laterThan(version: string, changes = 1): string {
  const [epoch, sequence] = version.split('-').map(Number);
  return `${epoch}-${sequence + changes}`;
}

const titlesOf = (answer: { json(): any }) => answer.json().data.map(({ title }: { title: string }) => title);

test('a request waits for its own content alone, by path and by host', async () => {
  const { ask, change, versionOf, untilWaiting } = await start(['main', 'other']);
  const main = laterThan(await versionOf(''));
  const other = laterThan(await versionOf('/other'));
  const asked = [ask('', main), ask('/other', other), ask('', other, { Host: 'other.example.org' })];
  await untilWaiting(3);
  expect(await change('other', 'changed')).toBe(other);
  expect(titlesOf(await asked[1])).toEqual(['changed']);
  expect(titlesOf(await asked[2])).toEqual(['changed']);
  await untilWaiting(1);
  expect(await change('main', 'first')).toBe(main);
  expect(titlesOf(await asked[0])).toEqual(['first']);
});

describe('a preview', () => {
  test('waits for changes of its base, and of its own', async () => {
    const { ask, change, versionOf, putPreview, untilWaiting, get } = await start(['main']);
    await putPreview();
    const first = await versionOf('/pr');
    expect(titlesOf(await ask('/pr', first))).toEqual(['main', 'new']);
    const asked = [ask('/pr', laterThan(first)), ask('/pr', laterThan(first, 2))];
    await untilWaiting(2);
    await change('main', 'changed');
    const answer = await asked[0];
    expect([titlesOf(answer), answer.headers['x-lectern-version']]).toEqual([['changed', 'new'], laterThan(first)]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    await untilWaiting(1);
    expect(await change('pr', 'edited')).toBe(laterThan(first, 2));
    expect(titlesOf(await asked[1])).toEqual(['edited', 'new']);
    expect(await versionOf('/pr')).toBe(laterThan(first, 2));
    expect(titlesOf(await get(''))).toEqual(['changed']);
  });

  test('is put again while a request waits: the request ends in time', async () => {
    const { ask, versionOf, putPreview, untilWaiting } = await start(['main']);
    await putPreview();
    const least = laterThan(await versionOf('/pr'));
    const asked = ask('/pr', least);
    await untilWaiting(1);
    await putPreview();
    const { status, headers } = await asked;
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '1', 'private, no-store']);
    // it has a later epoch now
    expect((await ask('/pr', least)).status).toBe(200);
  });

  test('with a token lets readers wait who send it, and says nothing to others', async () => {
    const { ask, versionOf, putPreview, change, untilWaiting } = await start(['main']);
    await putPreview({ token: 'readers' });
    const reader = { Authorization: 'Bearer readers' };
    const least = laterThan(await versionOf('/pr', reader));
    const asked = [ask('/pr', least, reader), ask('/pr', least)];
    await untilWaiting(2);
    await change('main', 'changed');
    expect(titlesOf(await asked[0])).toEqual(['changed', 'new']);
    const { status, json } = await asked[1];
    expect([status, json().error.message]).toEqual([403, 'Forbidden']);
  });

  test('follows no source where its base follows none', async () => {
    const { ask, putPreview } = await start(['main']);
    await putPreview();
    const { status, json, headers } = await ask('/pr', '2026-11-28T18:00:00.000Z');
    expect([status, json().error.message]).toEqual([400, expect.stringContaining('the content follows no source')]);
    expect(headers['cache-control']).toBe('private, no-store');
  });

  test('without a base answers why, with or without the header', async () => {
    const { ask, get, contents, putPreview, versionOf } = await start(['main', 'other']);
    await putPreview({ base: 'other' });
    const least = laterThan(await versionOf('/pr'));
    await contents.delete('other');
    const [plain, answer] = [await get('/pr'), await ask('/pr', least)];
    expect([answer.status, answer.json()]).toEqual([409, plain.json()]);
  });
});
