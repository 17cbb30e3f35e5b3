// GET /_events on the admin port: what each change made stale, as server-sent events.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { type Content, open } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { EventReader, RecentEvents } from '../../src/server/events/content-events.ts';
import { EventStreams } from '../../src/server/events/event-streams.ts';
import { startContents, stopAll, titled } from '../contents/running-contents.ts';
import { connect, endStreams, parse } from '../support/event-streams.ts';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { newDisk, openJournaled } from '../support/journaled.ts';
import { makeChange } from '../support/made-change.ts';
import { metric, type RunningServer, start, stopServers, until } from '../support/server.ts';

const uid = 'api::thing.thing';
const admin = {
  tokens: [
    { name: 'cdn', sha256: sha256('admin'), rights: ['events', 'contents'] },
    { name: 'deploy', sha256: sha256('deploy'), rights: ['reload'] },
  ],
};

afterEach(async () => {
  vi.useRealTimers();
  endStreams();
  await stopServers();
  await stopAll();
});

const requestOf = (changes: object[]) => ({ previous: null, form: 'changes', given: changes }) as const;
const titleOf = (title: string): Batch => ({
  entities: [{ type: uid, id: 1, data: { documentId: 'one', title } }],
  links: [],
});

async function begin(settings: object = {}): Promise<RunningServer & { content: Content }> {
  const content = await open(titled('first'));
  return { ...(await start({ adminPort: 0, admin, ...settings }, content)), content };
}

describe('a reader', () => {
  test('gets the version at once, and what each batch made stale', async () => {
    const { adminPort, content } = await begin();
    const stream = await connect(adminPort);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await until(() => stream.text() === `id: ${content.version}\n\n`);
    content.apply(titleOf('second'));
    await until(() => stream.events().length === 1);
    const [{ id, event, data }] = stream.events();
    expect([id, event, data.version]).toEqual([content.version, 'stale', content.version]);
    expect(data.tags).toEqual(expect.arrayContaining(['all', uid, `${uid}/one`, `${uid}.title`]));
    expect(await metric(adminPort, 'lectern_event_readers')).toBe(1);
    expect(await metric(adminPort, 'lectern_events_sent_total')).toBe(1);
    stream.response.destroy();
    await until(async () => (await metric(adminPort, 'lectern_event_readers')) === 0);
  });

  test('resumes after the version that it names', async () => {
    const { adminPort, content } = await begin();
    const versions = [content.version];
    for (const title of ['a', 'b', 'c']) {
      content.apply(titleOf(title));
      versions.push(content.version);
    }
    for (const [i, version] of versions.entries()) {
      const stream = await connect(adminPort, { 'Last-Event-ID': version });
      content.apply(titleOf(`further ${i}`));
      versions.push(content.version);
      await until(() => stream.events().at(-1)?.id === content.version);
      expect(stream.events().map(({ id }) => id)).toEqual(versions.slice(i + 1));
      if (i === 3) break;
    }
  });

  test('that had the last event goes on after a restart with a journal', async () => {
    const disk = newDisk();
    const changes = [{ upsert: uid, entry: { documentId: 'one', title: 'second' } }];
    const before = await openJournaled(disk, titled('first'));
    const writer = new ChangeWriter(before.content, async () => {}, before.opened);
    const [first, second] = [before.content.version, (await writer.change(requestOf(changes), null)).version];
    disk.restart();
    const { content } = await openJournaled(disk, titled('first'));
    const { adminPort } = await start({ adminPort: 0, admin }, content);
    const [current, late] = [
      await connect(adminPort, { 'Last-Event-ID': second }),
      await connect(adminPort, { 'Last-Event-ID': first }),
    ];
    await until(() => late.events().length === 1);
    content.apply(titleOf('third'));
    await until(() => current.events().length === 1 && late.events().length === 2);
    expect([current, late].map((stream) => stream.events().map(({ event }) => event))).toEqual([
      ['stale'],
      ['reset', 'stale'],
    ]);
  });

  test.each(['1-0', 'nonsense', '9999999999999-7', ' '])(
    'gets a reset if the version %s is not known',
    async (version) => {
      const { adminPort, content } = await begin();
      const stream = await connect(adminPort, { 'Last-Event-ID': version });
      await until(() => stream.events().length === 1);
      expect(stream.events()).toEqual([{ id: content.version, event: 'reset', data: { version: content.version } }]);
    },
  );

  test('gets a reset when another snapshot is served', async () => {
    const { adminPort, content } = await begin();
    const before = content.version;
    const stream = await connect(adminPort);
    content.history.replace(await loadSnapshot(titled('other'), {}));
    await until(() => stream.events().length === 1);
    expect(stream.events()).toEqual([{ id: content.version, event: 'reset', data: { version: content.version } }]);
    // an equal snapshot changes nothing
    content.history.replace(await loadSnapshot(titled('other'), {}));
    const late = await connect(adminPort, { 'Last-Event-ID': before });
    await until(() => late.events().length === 1);
    expect(late.events()[0].event).toBe('reset');
    expect(stream.events()).toHaveLength(1);
  });

  test('gets a comment every 15 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { adminPort } = await begin();
    const stream = await connect(adminPort);
    await until(() => stream.text() !== '');
    const before = stream.text();
    vi.advanceTimersByTime(14_999);
    vi.advanceTimersByTime(15_002);
    await until(() => stream.text() === `${before}:\n\n:\n\n`);
  });

  test('is disconnected when the server stops', async () => {
    const { adminPort, server } = await begin();
    const { response } = await connect(adminPort);
    const ended = new Promise((resolve) => response.once('end', resolve));
    await server.stop();
    await ended;
  });
});

describe('the route', () => {
  test.each([
    ['no token', '', 401],
    ['a token without the right', 'deploy', 403],
  ])('refuses %s', async (_, token, status) => {
    const { adminPort } = await begin();
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    expect((await askServer(adminPort, '/_events', { headers })).status).toBe(status);
  });

  test('answers 404 for an unknown content, 400 for another query, 405 for another method', async () => {
    const { adminPort, port } = await begin();
    const headers = { Authorization: 'Bearer admin' };
    const ask = async (path: string, method = 'GET') => (await askServer(adminPort, path, { headers, method })).status;
    expect(await ask('/_events?content=nosuch')).toBe(404);
    expect(await ask('/_events?version=1')).toBe(400);
    expect(await ask('/_events?content=main&content=main')).toBe(400);
    expect(await ask('/_events', 'POST')).toBe(405);
    expect((await askServer(port, '/_events', { headers })).status).toBe(404);
  });

  test('sends the events of the content that it names, until the content is deleted', async () => {
    const { adminPort, put, contents, delete: remove } = await startContents({ settings: { admin } });
    await put('feature', { body: { snapshot: 'one.json' } });
    const stream = await connect(adminPort, {}, '?content=feature');
    const first = await connect(adminPort);
    await until(() => stream.text() !== '' && first.text() !== '');
    await put('feature', { body: { snapshot: 'two.json' } });
    await until(() => stream.events().length === 1);
    const { version } = contents.get('feature')!.content!;
    expect(stream.events()).toEqual([{ id: version, event: 'reset', data: { version } }]);
    const ended = new Promise((resolve) => stream.response.once('end', resolve));
    await remove('feature');
    await ended;
    expect(first.events()).toEqual([]);
  });
});

test('a reader that falls behind by 8 MiB is disconnected', async () => {
  const server = createServer((_request, response) => {
    const reader = new EventReader(response);
    reader.onClose(() => server.close());
    const text = 'x'.repeat(2 ** 20);
    const timer = setInterval(() => {
      if (response.destroyed) return clearInterval(timer);
      for (let i = 0; i < 9; i++) reader.send(text);
    }, 1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { response } = await connect(port);
  response.pause();
  await once(server, 'close');
});

test('with several threads, an event is sent when every thread has made the change', async () => {
  const [first, second] = await Promise.all(['first', 'second'].map((title) => open(titled(title))));
  const entries = [first, second].map((content, i) =>
    createEntry({ name: `content-${i}`, content, error: null, put: null }),
  );
  const contents = new Contents(entries[0]);
  await contents.set(entries[1]);
  const streams = new EventStreams(true);
  streams.serve(contents);
  const sent: string[] = [];
  const reader = {
    send: (text: string) => sent.push(text),
    onClose: () => {},
    end: () => {},
  } as unknown as EventReader;
  streams.of('content-0')!.connect(reader, first.version);
  let finish!: () => void;
  contents.onChange(({ kind }) => (kind === 'apply' ? new Promise((resolve) => (finish = resolve)) : undefined));

  const before = first.version;
  const applied = contents.apply(entries[0], makeChange(first, titleOf('other')));
  await contents.set(entries[1]);
  expect(sent.join('')).toBe('');
  const lateSent: string[] = [];
  streams.of('content-0')!.connect({ ...reader, send: (text: string) => lateSent.push(text) } as never, undefined);
  expect(lateSent).toEqual([`id: ${before}\n\n`]);
  finish();
  await applied;
  expect(lateSent[1]).toBe(sent.at(-1));
  expect(parse(sent.join('')).map(({ id }) => id)).toEqual([first.version]);
  streams.close();
});

test('the events that a reader may resume from are bounded', () => {
  const recent = new RecentEvents('1-0');
  for (let i = 1; i <= 1500; i++) recent.add({ version: `1-${i}`, tags: ['all'] });
  expect(recent.since('1-0')).toContain('event: reset');
  expect(recent.since('1-499')).toContain('event: reset');
  expect(parse(recent.since('1-500'))).toHaveLength(1000);
  for (let i = 1; i <= 10; i++) recent.add({ version: `2-${i}`, tags: ['x'.repeat(2 ** 20)] });
  expect(parse(recent.since('2-7')).map(({ id }) => id)).toEqual(['2-8', '2-9', '2-10']);
  expect(recent.since('2-5')).toContain('event: reset');
});

test('a reader of a version that was joined with later ones gets what changed since the version before', () => {
  const recent = new RecentEvents('1-0');
  for (const version of ['1-3', '1-8', '1-9']) recent.add({ version, tags: ['some'] });
  const since = (id: string) => parse(recent.since(id)).map(({ event, id: of }) => `${event} ${of}`);
  expect(since('1-2')).toEqual(['stale 1-3', 'stale 1-8', 'stale 1-9']);
  expect(since('1-5')).toEqual(['stale 1-8', 'stale 1-9']);
  expect(since('1-8')).toEqual(['stale 1-9']);
  // of a version that is not served yet, and of another base
  for (const id of ['1-10', '0-5', '2-0', '1-5.1']) expect(since(id), id).toEqual(['reset 1-9']);
});
