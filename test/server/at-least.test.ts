/** The request header `X-Lectern-At-Least` over HTTP, with one thread. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Freshness } from '../../src/content/registry/content-source.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import type { Content } from '../../src/index.ts';
import { freshnessOf } from '../support/freshness.ts';
import { thingSnapshot } from '../support/guide.ts';
import { type AskOptions, askServer } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { serveContent } from '../support/serve-content.ts';
import { exchange, metric, type RunningServer, startEmpty, stopServersAfterEach, until } from '../support/server.ts';

stopServersAfterEach();

const thing = 'api::thing.thing';
const path = '/api/things';

async function openNames(name = 'first'): Promise<Content> {
  const entries = [{ id: 1, documentId: 'one', name }];
  return openShared(thingSnapshot({ name: { type: 'string' } }, entries), { public: true });
}

const rename = (content: Content, name: string) =>
  content.apply({ changes: [{ patch: thing, documentId: 'one', set: { name } }] });

/** The version that the next batch makes. */
function next({ version }: Content, batches = 1): string {
  const [epoch, sequence] = version.split('-').map(Number);
  return `${epoch}-${sequence + batches}`;
}

async function start(settings: object = {}) {
  const content = await openNames();
  const running = await startEmpty({ public: true, ...settings });
  serveContent(running.server, content);
  return { ...running, ...askerOf(running), content };
}

function askerOf({ port, server }: RunningServer) {
  return {
    ask: (least: string, at = path, options: AskOptions = {}) =>
      askServer(port, at, { ...options, headers: { 'X-Lectern-At-Least': least, ...options.headers } }),
    waiting: () => metric(port, 'lectern_http_version_waits'),
    /** Waits until as many requests wait. */
    untilWaiting: (count: number) => until(async () => (await metric(port, 'lectern_http_version_waits')) === count),
    stop: () => server.stop(),
  };
}

const nameOf = (answer: { json(): any }) => answer.json().data[0]?.name ?? answer.json().data.name;

const failure = (answer: { status: number; headers: object; json(): any }) => {
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
  return [answer.status, answer.json().error.message];
};

describe('a version that is served', () => {
  test('or an earlier one, also of an earlier epoch, is answered as without the header', async () => {
    const { ask, port, content, waiting } = await start();
    rename(content, 'second');
    const plain = await askServer(port, path);
    const epoch = Number.parseInt(content.version, 10);
    for (const least of [content.version, `${epoch}-0`, `${epoch - 1}-99`, '0-0']) {
      const answer = await ask(least);
      expect({ ...answer.headers, date: '' }).toEqual({ ...plain.headers, date: '' });
      expect([answer.status, answer.body]).toEqual([200, plain.body]);
    }
    expect(await waiting()).toBe(0);
  });
});

describe('a later version', () => {
  test.each([
    ['a list', path],
    ['an entry', `${path}/one`],
  ])('is answered by %s when it is served', async (_, at) => {
    const { ask, content, untilWaiting } = await start();
    const asked = [ask(next(content), at), ask(next(content), at, { method: 'HEAD' })];
    await untilWaiting(2);
    rename(content, 'second');
    const [answer, head] = await Promise.all(asked);
    expect([answer.status, nameOf(answer), answer.headers['x-lectern-version']]).toEqual([
      200,
      'second',
      content.version,
    ]);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: expect.stringContaining('X-Lectern-At-Least'),
    });
    expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, answer.headers.etag]);
  });

  test('is awaited over changes before it', async () => {
    const { ask, content, untilWaiting } = await start();
    const asked = ask(next(content, 2));
    await untilWaiting(1);
    rename(content, 'second');
    await untilWaiting(1);
    rename(content, 'third');
    expect(nameOf(await asked)).toBe('third');
  });

  test('that is not served within two seconds is a 503, and counted', async () => {
    const { ask, port, content } = await start();
    const started = performance.now();
    const least = next(content);
    const answer = await ask(least);
    expect(performance.now() - started).toBeGreaterThan(1900);
    expect(failure(answer)).toEqual([503, `X-Lectern-At-Least: "${least}" was not served within 2 seconds`]);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toEqual({
      data: null,
      error: { status: 503, name: 'ServiceUnavailableError', message: expect.any(String), details: {} },
    });
    expect(await metric(port, 'lectern_http_version_timeouts_total')).toBe(1);
    expect(await metric(port, 'lectern_http_version_waits')).toBe(0);
    expect(await metric(port, 'lectern_http_waiting_requests')).toBe(0);
  });

  test('of a later epoch is a 503 at once', async () => {
    const { ask, content, port } = await start();
    const least = `${Number.parseInt(content.version, 10) + 1}-0`;
    const answer = await ask(least);
    expect(failure(answer)).toEqual([
      503,
      `X-Lectern-At-Least: "${least}" is of an epoch that this server has not loaded`,
    ]);
    expect(answer.headers['retry-after']).toBe('1');
    expect(await metric(port, 'lectern_http_version_timeouts_total')).toBe(0);
  });

  test('is reached by a load, which begins a later epoch', async () => {
    const { ask, content, untilWaiting } = await start();
    const asked = ask(next(content, 99));
    await untilWaiting(1);
    const { history } = await openNames('loaded');
    expect(content.history.replace({ ...history.loaded, version: undefined })).toBe(true);
    expect(nameOf(await asked)).toBe('loaded');
  });

  test('is awaited while an earlier one is pinned, also if it is of a later epoch', async () => {
    const { ask, content, untilWaiting } = await start();
    const first = content.version;
    rename(content, 'second');
    const second = content.version;
    content.pin(first);
    const asked = ask(second);
    await untilWaiting(1);
    content.unpin();
    expect(nameOf(await asked)).toBe('second');

    content.pin(first);
    const { history } = await openNames('loaded');
    expect(content.history.replace({ ...history.loaded, version: undefined })).toBe(true);
    const later = ask(content.latestVersion);
    await untilWaiting(1);
    expect(nameOf(await ask(first))).toBe('first');
    content.unpin();
    expect((await later).headers['x-lectern-version']).toBe(content.version);
  });
});

test.each([
  '',
  'second',
  '1',
  '1-',
  '-1',
  '1-2-3',
  '1.5-2',
  '2026-11-28',
  '2026-11-28T18:00:00',
  '2026-02-30T00:00:00Z',
])('the value %j is a 400 that quotes it', async (least) => {
  const { ask } = await start();
  expect(failure(await ask(least))).toEqual([
    400,
    `X-Lectern-At-Least: ${JSON.stringify(least)} is neither a version, such as 1764352800000-3, nor a time, such as 2026-11-28T18:00:00.000Z`,
  ]);
});

test('two values are a 400', async () => {
  const { ask } = await start();
  const { status, json } = await ask('', path, { headers: { 'X-Lectern-At-Least': ['1-0', '2-0'] } });
  expect([status, json().error.message]).toEqual([400, expect.stringContaining('"1-0, 2-0" is neither')]);
});

test('requests for other things than content do not wait', async () => {
  const { ask, content } = await start();
  const least = next(content);
  const statuses = ['/', '/_health', '/_ready', '/_metrics', '/_openapi.json', '/_schema.json'].map(
    async (at) => (await ask(least, at)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 204, 200, 200, 200, 200]);
  expect((await ask(least, path, { method: 'POST' })).status).toBe(405);
  expect((await ask(least, path, { method: 'OPTIONS' })).status).toBe(204);
});

describe('waiting requests', () => {
  test('are answered all after one change, a thousand of them', async () => {
    const { ask, port, content, untilWaiting } = await start({ queue: { requests: 2000 } });
    // on ten connections, so that all arrive before the first wait ends
    const head = (size: number) =>
      `GET ${path}?pagination[pageSize]=${size} HTTP/1.1\r\nHost: a\r\nX-Lectern-At-Least: ${next(content)}\r\n`;
    const heads = Array.from({ length: 100 }, (_, i) => head(i + 1)).join('\r\n');
    const received = Array.from({ length: 10 }, () => exchange(port, `${heads}Connection: close\r\n\r\n`));
    await untilWaiting(1000);
    expect(await metric(port, 'lectern_http_waiting_requests')).toBe(1000);
    // half of the places are left to others
    const refused = await ask(next(content));
    expect(failure(refused)).toEqual([503, 'Too many requests are queued: try again in a moment']);
    expect(refused.headers['retry-after']).toBe('1');
    rename(content, 'second');
    const text = (await Promise.all(received)).join('');
    expect(text.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(1000);
    expect(text.match(/"name":"second"/g)).toHaveLength(1000);
    expect(await metric(port, 'lectern_http_waiting_requests')).toBe(0);
    expect(await metric(port, 'lectern_http_waiting_bytes')).toBe(0);
    expect(await metric(port, 'lectern_http_refused_requests_total')).toBe(1);
  });

  test('leave places to others, on old and new connections', async () => {
    const { ask, port, content, untilWaiting } = await start({ queue: { requests: 2 } });
    const asked = ask(next(content));
    await untilWaiting(1);
    expect((await askServer(port, path)).status).toBe(200);
    expect((await ask(content.version)).status).toBe(200);
    rename(content, 'second');
    expect(nameOf(await asked)).toBe('second');
  });

  test('of one connection are limited, and are answered in order', async () => {
    const { port, content, untilWaiting } = await start({ queue: { perConnection: 2 } });
    const head = (least: string, rest = '') =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Lectern-At-Least: ${least}\r\n${rest}\r\n`;
    const received = exchange(port, head(next(content, 2)) + head(next(content, 1)) + head(next(content, 1)));
    await untilWaiting(2);
    rename(content, 'second');
    await untilWaiting(1);
    rename(content, 'third');
    const text = await received;
    expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)).toEqual(['200', '200', '503']);
    expect(Array.from(text.matchAll(/"name":"(second|third)"/g), ([, name]) => name)).toEqual(['third', 'second']);
  });

  test.each([1, 3])('free their places when their client goes away, with %i on its connection', async (count) => {
    const { port, content, untilWaiting } = await start();
    const sockets: Socket[] = [];
    for (let i = 0; i < 5; i++) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Lectern-At-Least: ${next(content)}\r\n\r\n`.repeat(count));
      sockets.push(socket);
    }
    await untilWaiting(5 * count);
    const started = performance.now();
    for (const [i, socket] of sockets.entries()) {
      if (i % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    await untilWaiting(0);
    expect(performance.now() - started).toBeLessThan(1500);
    expect(await metric(port, 'lectern_http_waiting_requests')).toBe(0);
    expect(await metric(port, 'lectern_http_waiting_bytes')).toBe(0);
    expect(await metric(port, 'lectern_http_version_timeouts_total')).toBe(0);
    // nobody listens any more
    rename(content, 'second');
    expect((await askServer(port, path)).status).toBe(200);
  });

  test('end with a 503 when the server stops', async () => {
    const { ask, content, untilWaiting, stop } = await start();
    const asked = [ask(next(content)), ask(next(content))];
    await untilWaiting(2);
    const started = performance.now();
    const stopped = stop();
    for (const answer of await Promise.all(asked)) {
      expect(failure(answer)).toEqual([503, 'The server is stopping']);
      expect(answer.headers.connection).toBe('close');
    }
    await stopped;
    expect(performance.now() - started).toBeLessThan(1500);
  });

  test('are answered while the server drains', async () => {
    const { ask, content, untilWaiting, stop } = await start({ timeouts: { drain: 300 } });
    const [first, second] = [ask(next(content)), ask(next(content, 2))];
    await untilWaiting(2);
    const stopped = stop();
    rename(content, 'second');
    expect(nameOf(await first)).toBe('second');
    expect((await second).status).toBe(503);
    await stopped;
  });
});

describe('a time', () => {
  const time = Date.parse('2026-11-28T18:00:00.000Z');

  /** A server of content whose source can be read. */
  async function follow(others: Partial<Freshness> = {}) {
    const listeners = new Set<() => void>();
    const source = {
      freshness: freshnessOf('./my-strapi', others),
      hint: () => {},
      onRead: (listener: () => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    const content = await openNames();
    const running = await startEmpty({ public: true });
    const contents = new Contents(createEntry({ name: 'main', content, source, error: null, put: null }));
    running.server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, null) });
    const read = (readAt: number) => {
      source.freshness = { ...source.freshness, readAt };
      for (const listener of [...listeners]) listener();
    };
    return { ...running, ...askerOf(running), content, read, listeners };
  }

  test('at which the source was read, or an earlier one, is answered at once', async () => {
    const { ask } = await follow({ readAt: time });
    for (const least of [
      '2026-11-28T18:00:00.000Z',
      '2026-11-28T18:59:59+01:00',
      '2026-11-28T13:00-0500',
      '1969-01-01T00:00:00Z',
    ]) {
      expect((await ask(least)).status).toBe(200);
    }
  });

  test('is awaited until the source is read, changed or not', async () => {
    const { ask, content, read, untilWaiting, listeners } = await follow();
    const asked = [ask('2026-11-28T18:00:00.000Z'), ask('2026-11-28T18:00:00.001Z')];
    await untilWaiting(2);
    read(time - 1);
    rename(content, 'second');
    await untilWaiting(2);
    read(time);
    expect(nameOf(await asked[0])).toBe('second');
    await untilWaiting(1);
    read(time + 1);
    expect((await asked[1]).status).toBe(200);
    expect(listeners.size).toBe(0);
  });

  test('at which the source is not read is a 503', async () => {
    const { ask, listeners } = await follow({ readAt: time });
    expect(failure(await ask('2026-11-28T18:00:00.001Z'))).toEqual([
      503,
      'X-Lectern-At-Least: "2026-11-28T18:00:00.001Z" was not served within 2 seconds',
    ]);
    expect(listeners.size).toBe(0);
  });

  test('is awaited while an earlier version is pinned', async () => {
    const { ask, content, untilWaiting } = await follow({ readAt: time });
    const first = content.version;
    rename(content, 'second');
    content.pin(first);
    const asked = ask('2026-11-28T18:00:00.000Z');
    await untilWaiting(1);
    content.unpin();
    expect(nameOf(await asked)).toBe('second');
  });

  test('is a 400 for content without a source', async () => {
    const { ask } = await start();
    expect(failure(await ask('2026-11-28T18:00:00.000Z'))).toEqual([
      400,
      'X-Lectern-At-Least: "2026-11-28T18:00:00.000Z" is a time, and the content follows no source: send a version',
    ]);
  });
});
