import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tokenVariable } from '../../src/cli/admin-port.ts';
import { pin } from '../../src/cli/pin.ts';
import type { Content } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { startContents, stopAll } from '../contents/running-contents.ts';
import { connect, endStreams } from '../support/event-streams.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { type RunningServer, samples, start, stopServers, until } from '../support/server.ts';

/** `/_pin` on the admin port of a server with one thread, and `lectern pin`, which asks it. */

afterEach(async () => {
  endStreams();
  await stopServers();
  await stopAll();
});

const admin = {
  tokens: [
    { name: 'operator', sha256: sha256('operator'), rights: ['pin'] },
    { name: 'editor', sha256: sha256('admin'), rights: ['changes', 'events', 'contents'] },
  ],
};
const snapshot = (title: string) => thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);

interface Running extends RunningServer {
  readonly content: Content;
  pin(method: string, body?: unknown, options?: { token?: string; query?: string; type?: string }): Promise<HttpAnswer>;
  change(title: string, more?: object): Promise<Record<string, any>>;
  title(): Promise<string>;
}

async function begin(settings: object = {}): Promise<Running> {
  const content = await openShared(snapshot('One'), { public: true });
  const running = await start({ adminPort: 0, admin, ...settings }, content);
  const { port, adminPort } = running;
  const headersOf = (token: string, type = 'application/json') => ({
    ...(token && { Authorization: `Bearer ${token}` }),
    'Content-Type': type,
  });
  return {
    ...running,
    content,
    pin: (method, body, { token = 'operator', query = '', type } = {}) =>
      askServer(adminPort, `/_pin${query}`, {
        method,
        headers: headersOf(token, type),
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    change: async (title, more = {}) => {
      const changes = [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title } }];
      const body = JSON.stringify({ changes, ...more });
      const answer = await askServer(adminPort, '/_changes', { method: 'POST', headers: headersOf('admin'), body });
      return answer.json();
    },
    title: async () => (await askServer(port, '/api/things/one')).json().data.title,
  };
}

describe('/_pin', () => {
  test('lists the versions, serves one of them, and the latest again', async () => {
    const { pin, change, title, content, lines } = await begin();
    const first = content.version;
    const { version: second } = await change('Two');
    const listed = await pin('GET');
    expect([listed.status, listed.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(listed.json()).toEqual({
      ...{ version: second, latest: second, pinnedSince: null },
      versions: [
        { version: second, madeAt: expect.any(String), changed: 1 },
        { version: first, madeAt: expect.any(String), changed: null },
      ],
    });
    const pinned = await pin('PUT', { version: first });
    expect([pinned.status, pinned.json()]).toEqual([
      200,
      { ...listed.json(), version: first, pinnedSince: expect.any(String) },
    ]);
    expect(await title()).toBe('One');
    const changed = await change('Three', { previous: second });
    expect(changed).toEqual({ version: content.versions[0].version, sequence: 2, pinned: first });
    expect(await title()).toBe('One');
    const released = (await pin('DELETE')).json();
    expect(released).toMatchObject({ version: changed.version, latest: changed.version, pinnedSince: null });
    expect(await title()).toBe('Three');
    expect(await change('Four')).not.toHaveProperty('pinned');
    const logged = lines.filter(({ msg }) => /pinned|latest/.test(msg));
    expect(logged.map(({ msg, version }) => [msg, version])).toEqual([
      ['serving is pinned to a version', first],
      ['the latest version is served', changed.version],
    ]);
  });

  test('lists the versions that can be pinned if another one is asked for', async () => {
    const { pin, change, title, content } = await begin();
    await change('Two');
    const { status, json } = await pin('PUT', { version: '1-1' });
    const versions = content.versions.map(({ version }) => version);
    expect([status, json().error.details]).toEqual([404, { versions }]);
    expect(json().error.message).toBe(`The version "1-1" is not kept. Serving can be pinned to ${versions.join(', ')}`);
    expect([await title(), content.pinned]).toEqual(['Two', null]);
  });

  test.each([
    ['a body that is no JSON', '{', 400, 'body: 1:2: invalid JSON'],
    ['a body without a version', {}, 400, 'body: must be an object such as { "version": "1767225600000-3" }'],
    ['another key', { version: '1-1', content: 'main' }, 400, 'body: must be an object'],
    ['a key that is given twice', '{ "version": "1-1", "version": "1-2" }', 400, 'body: 1:21: duplicate key "version"'],
    ['a number', { version: 1 }, 400, 'body: must be an object'],
    ['a body that is too large', { version: 'x'.repeat(5000) }, 413, 'more than 4096 bytes'],
  ])('rejects %s', async (_, body, status, message) => {
    const answer = await (await begin()).pin('PUT', body);
    expect([answer.status, answer.json().error.message]).toEqual([status, expect.stringContaining(message)]);
  });

  test('takes JSON, the right token, a known content and no other method', async () => {
    const { pin } = await begin();
    expect((await pin('PUT', '', { type: 'text/plain' })).status).toBe(415);
    expect((await pin('GET', undefined, { token: '' })).status).toBe(401);
    const forbidden = await pin('DELETE', undefined, { token: 'admin' });
    expect([forbidden.status, forbidden.json().error.message]).toEqual([
      403,
      'The token "editor" lacks the right "pin" (admin.tokens)',
    ]);
    expect((await pin('GET', undefined, { query: '?content=other' })).status).toBe(404);
    const misspelt = await pin('DELETE', undefined, { query: '?contnt=main' });
    expect([misspelt.status, misspelt.json().error.message]).toEqual([
      400,
      'query: "contnt" is unknown or given twice; only "content" is read',
    ]);
    const other = await pin('POST', {});
    expect([other.status, other.headers.allow]).toEqual([405, 'GET, PUT, DELETE']);
  });

  test('tells the version that changes follow if "previous" is another one', async () => {
    const { pin, change, content } = await begin();
    const first = content.version;
    const { version } = await change('Two');
    await pin('PUT', { version: first });
    expect((await change('Three', { previous: first })).error).toMatchObject({
      status: 409,
      message: `"previous" is ${first}, but the latest version is ${version}`,
    });
  });
});

test('readiness and metrics show a pin', async () => {
  const { pin, change, content, adminPort } = await begin();
  const first = content.version;
  const ready = async () => (await askServer(adminPort, '/_ready')).json();
  const metrics = async () => samples((await askServer(adminPort, '/_metrics')).body.toString());
  await change('Two');
  expect(await ready()).toEqual({ ready: true });
  expect((await metrics()).get('lectern_pinned')).toBe(0);
  expect((await metrics()).has('lectern_pinned_seconds')).toBe(false);
  await pin('PUT', { version: first });
  expect(await ready()).toEqual({ ready: true, pinned: [{ content: 'main', ...content.pinned }] });
  expect((await metrics()).get('lectern_pinned')).toBe(1);
  expect((await metrics()).get('lectern_pinned_seconds')).toBeLessThan(60);
  expect((await metrics()).get('lectern_earlier_bytes')).toBe(content.history.earlierBytes);
  expect((await metrics()).get(`lectern_snapshot_info{version="${content.summary.version}",dialect="document"}`)).toBe(
    1,
  );
});

test('a pin of one of several contents leaves the others alone, but for previews of it', async () => {
  const { contents, adminPort, title, put } = await startContents({ given: ['main', 'other'], settings: { admin } });
  const headers = { Authorization: 'Bearer operator', 'Content-Type': 'application/json' };
  const [main, other] = contents.all.map(({ content }) => content!);
  const [{ version }] = other.versions;
  const changes = [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title: 'changed' } }];
  for (const content of [main, other]) content.apply({ changes });
  const body = JSON.stringify({ version });
  const pinned = await askServer(adminPort, '/_pin?content=other', { method: 'PUT', headers, body });
  expect(pinned.json()).toMatchObject({ version, latest: other.versions[0].version });
  expect([await title(''), await title('/other')]).toEqual(['changed', 'other']);
  const added = { upsert: 'api::thing.thing', entry: { documentId: 'two', title: 'added' } };
  expect((await put('draft', { body: { base: 'other', changes: [added] } })).status).toBe(201);
  expect(await title('/draft')).toBe('other');
  const ofPreview = await askServer(adminPort, '/_pin?content=draft', { method: 'PUT', headers, body });
  expect([ofPreview.status, ofPreview.json().error.message]).toEqual([
    409,
    '"draft" is a preview of what "other" serves: pin that one',
  ]);
  const reader = { headers: { Authorization: 'Bearer admin' } };
  const events = await askServer(adminPort, '/_events?content=draft', reader);
  expect([events.status, events.json().error.message]).toEqual([
    404,
    '"draft" is a preview, and previews have no events: read those of "other"',
  ]);
  const { pinned: all } = (await askServer(adminPort, '/_ready')).json();
  expect(all).toEqual([{ content: 'other', version, since: other.pinned!.since }]);
  const metrics = samples((await askServer(adminPort, '/_metrics')).body.toString());
  expect(['main', 'other'].map((name) => metrics.get(`lectern_pinned{content="${name}"}`))).toEqual([0, 1]);
  await askServer(adminPort, '/_pin?content=other', { method: 'DELETE', headers });
  expect([await title('/other'), await title('/draft')]).toEqual(['changed', 'changed']);
});

describe('a reader of /_events', () => {
  test('gets a reset for a pin and its end, and nothing of the changes between', async () => {
    const { pin, change, content, adminPort } = await begin();
    const first = content.version;
    const { version: second } = await change('Two');
    const reader = await connect(adminPort);
    await until(() => reader.text().includes(second));
    await pin('PUT', { version: first });
    const { version: third } = await change('Three');
    await change('Four');
    await pin('DELETE');
    const { version: last } = await change('Five');
    await until(() => reader.events().length === 3);
    expect(reader.events().map(({ event, data }) => [event, data.version])).toEqual([
      ['reset', first],
      ['reset', content.versions[1].version],
      ['stale', last],
    ]);
    expect(reader.text()).not.toContain(third);
  });

  test('that was away during a pin gets a reset, although the version that it knows is served again', async () => {
    const { pin, change, content, adminPort } = await begin();
    const first = content.version;
    const { version: second } = await change('Two');
    await pin('PUT', { version: first });
    const reader = await connect(adminPort, { 'Last-Event-ID': second });
    await until(() => reader.events().length === 1);
    const [reset] = reader.events();
    expect(reset).toMatchObject({ event: 'reset', data: { version: first } });
    await pin('DELETE');
    await until(() => reader.events().length === 2);
    const [, release] = reader.events();
    const away = await connect(adminPort, { 'Last-Event-ID': second });
    const pinnedReader = await connect(adminPort, { 'Last-Event-ID': reset.id });
    const current = await connect(adminPort, { 'Last-Event-ID': release.id });
    const { version: third } = await change('Three');
    await until(() => [away, pinnedReader].every((each) => each.events().length === 2));
    await until(() => current.events().length === 1);
    for (const each of [away, pinnedReader]) {
      expect(each.events().map(({ event, data }) => [event, data.version])).toEqual([
        ['reset', second],
        ['stale', third],
      ]);
    }
    expect(current.events()).toMatchObject([{ event: 'stale', id: third }]);
  });
});

describe('lectern pin', () => {
  let printed: string[] = [];
  beforeEach(() => {
    printed = [];
    vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text));
  });
  afterEach(() => void vi.restoreAllMocks());

  const run = ({ adminPort }: RunningServer, version?: string, content?: string, token = 'operator') =>
    pin(version, { url: `http://127.0.0.1:${adminPort}/`, content }, { [tokenVariable]: token });

  test('lists the versions, pins one and ends the pin', async () => {
    const running = await begin();
    const { content, change, title } = running;
    const first = content.version;
    const { version: second } = await change('Two');
    await run(running, first);
    expect(printed).toEqual([
      `Serving is pinned to ${first}. The latest one is ${second}. "lectern pin latest" ends that.`,
    ]);
    expect(await title()).toBe('One');
    await run(running, undefined, 'main');
    const lines = printed.slice(1).join('\n').split('\n');
    expect(lines[0]).toMatch(/^\S+ is served \(pinned since \S+Z, the latest is \S+\)\. Versions that can be pinned:$/);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(new RegExp(`^${second}  \\S+Z  1 entry changed$`)),
      expect.stringMatching(new RegExp(`^${first}  \\S+Z  loaded           served$`)),
    ]);
    await run(running, 'latest');
    expect(printed.at(-1)).toBe(`The latest version is served: ${second}.`);
    await run(running, second);
    expect(printed.at(-1)).toContain('It is the latest one.');
    expect(await title()).toBe('Two');
  });

  test('says what the server refuses, and that it does not answer', async () => {
    const running = await begin();
    const url = `http://127.0.0.1:${running.adminPort}/_pin`;
    await expect(run(running, '1-1')).rejects.toThrow(`${url} answers with 404: The version "1-1" is not kept.`);
    await expect(run(running, undefined, 'other')).rejects.toThrow('404: There is no content "other"');
    await expect(run(running, undefined, undefined, 'admin')).rejects.toThrow(
      '403: The token "editor" lacks the right',
    );
    await expect(run(running, undefined, undefined, '')).rejects.toThrow('set LECTERN_ADMIN_TOKEN to a token');
    await expect(run({ ...running, adminPort: running.port })).rejects.toThrow(/answers with 404/);
    await running.server.stop();
    await expect(run(running)).rejects.toThrow(`${url} does not answer: `);
  });
});

test('a reload while a version is pinned is not visible, and says so', async () => {
  const { server, content, pin, title, lines } = await begin();
  const pinned = content.version;
  await pin('PUT', { version: pinned });
  server.reloads.begin(['main'], async () => {
    content.history.replace(await loadSnapshot(snapshot('Loaded')));
    return { isNew: true, version: content.history.latest.summary.version, entries: 1, pinned };
  });
  const report = await server.reloads.run('request');
  expect(report).toMatchObject({ isNew: true, pinned });
  expect(lines.at(-1)).toMatchObject({ msg: 'new content is loaded, but another version is pinned', pinned });
  expect(await title()).toBe('One');
  await pin('DELETE');
  expect(await title()).toBe('Loaded');
});
