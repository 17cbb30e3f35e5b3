import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples, start, stopServersAfterEach } from '../support/server.ts';

/** URLs that hold raw UTF-8 instead of percent-encoded bytes. */

stopServersAfterEach();

const titles = ['Köln', '日本', '🍰'];
const openTitles = () =>
  open(
    thingSnapshot(
      { title: { type: 'string' } },
      titles.map((title) => ({ documentId: title, title })),
    ),
  );
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

/** Sends the text as UTF-8 and returns what comes back until the connection ends. */
async function send(port: number, text: string): Promise<{ head: string; body: string }> {
  const [head, body = ''] = (await exchangeBytes(port, Buffer.from(text))).split('\r\n\r\n', 2);
  return { head, body };
}

function exchangeBytes(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setEncoding('utf8').on('data', (data) => (received += data));
    socket.on('error', reject).on('close', () => resolve(received));
  });
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;

test.each(titles)('raw URLs are answered as their encoded form, from the same cache: %s', async (title) => {
  const { port } = await start({}, await openTitles());
  const raw = `/api/things?filters[title]=${title}&fields=title`;
  const encoded = `/api/things?filters[title]=${encodeURIComponent(title)}&fields=title`;
  const expected = await askServer(port, encoded);
  await askServer(port, encoded);
  const { head, body } = await send(port, get(raw));
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nConnection: close(\r\n|$)/);
  expect(head).toContain(`ETag: ${expected.headers.etag}`);
  expect(body).toBe(expected.body.toString());
  expect(expected.json().data).toMatchObject([{ title }]);
  const found = samples((await askServer(port, '/_metrics')).body.toString());
  expect(found.get('lectern_cache_hits_total{cache="url"}')).toBe(1);
});

test('URLs with invalid UTF-8 are answered as their encoded form', async () => {
  const { port } = await start({}, await openTitles());
  const received = await exchangeBytes(
    port,
    Buffer.from('GET /api/things?a=\xf6 HTTP/1.1\r\nHost: a\r\n\r\n', 'latin1'),
  );
  const { body } = await askServer(port, '/api/things?a=%F6');
  expect(received.split('\r\n\r\n')[1]).toBe(body.toString());
});

test('raw paths work with HEAD and conditional requests', async () => {
  const { port } = await start({}, await openTitles());
  const etag = /ETag: (\S+)/.exec((await send(port, get('/api/things/Köln'))).head)![1];
  expect((await send(port, get('/api/things/Köln', `If-None-Match: ${etag}\r\n`))).head).toMatch(/^HTTP\/1\.1 304 /);
  const { head, body } = await send(port, get('/api/things/Köln').replace('GET', 'HEAD'));
  expect([head.split('\r\n')[0], body]).toEqual(['HTTP/1.1 200 OK', '']);
  expect((await send(port, get('/api/things/Köln', 'Connection: keep-alive\r\n'))).head).toContain('Connection: close');
});

test('raw URLs are rate-limited and logged by client address', async () => {
  const settings = { rateLimit: { requests: 1 }, log: { requests: true } };
  const { port, lines } = await start(settings, await openTitles());
  expect((await send(port, get('/api/things?a=ö'))).head).toMatch(/^HTTP\/1\.1 400 /);
  expect((await send(port, get('/api/things?a=ö'))).head).toMatch(/^HTTP\/1\.1 429 /);
  expect(lines.map(({ address, path, status }) => [address, path, status])).toEqual([
    ['127.0.0.1', '/api/things', 400],
    ['127.0.0.1', '/api/things', 429],
  ]);
});

test.each<[string, string, RegExp]>([
  ['a method that writes', `POST ${latin1('/ö')} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ['a body', `GET ${latin1('/ö')} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`, /^HTTP\/1\.1 400 /],
  ['other invalid bytes', `GET ${latin1('/ö')}\x01 HTTP/1.1\r\nHost: a\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ['no host', `GET ${latin1('/ö')} HTTP/1.1\r\n\r\n`, /^HTTP\/1\.1 400 /],
])('raw URLs with %s are rejected', async (_, bytes, reply) => {
  const { port } = await start({}, await openTitles());
  const received = await exchangeBytes(port, Buffer.from(bytes, 'latin1'));
  expect(received).toMatch(reply);
  expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
});

test('raw URLs are answered once, whatever else the connection sends', async () => {
  const { port } = await start({}, await openTitles());
  const received = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.setNoDelay(true).write(get('/api/things?fields=title'));
      socket.write(get('/api/things/Köln'));
      setImmediate(() => socket.write(get('/api/things/Köln')));
    });
    let text = '';
    socket.setEncoding('utf8').on('data', (data) => (text += data));
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  const statuses = received.match(/HTTP\/1\.1 \d+/g)!;
  expect(statuses.length).toBeLessThanOrEqual(2);
});
