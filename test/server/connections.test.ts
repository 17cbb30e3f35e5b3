import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { SlowReaders } from '../../src/server/connections/slow-readers.ts';
import { askServer } from '../support/http.ts';
import {
  exchange,
  metric,
  openLarge,
  openThings,
  stall,
  start,
  stopServersAfterEach,
  until,
} from '../support/server.ts';

/** Limits on size, time and number of connections, tested with misbehaving clients. */

stopServersAfterEach();

const host = 'Host: a\r\n';

describe('invalid requests', () => {
  test.each<[string, string, number, string]>([
    ['no HTTP', 'hello\r\n\r\n', 400, 'BadRequestError'],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400, ''],
    ['two hosts', `GET /api/things HTTP/1.1\r\n${host}HOST: a\r\n\r\n`, 400, 'BadRequestError'],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`, 405, 'MethodNotAllowedError'],
    ['a header without a name', `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`, 400, 'BadRequestError'],
    [
      'two lengths',
      `GET / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
      'BadRequestError',
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'BadRequestError',
    ],
    ['a URL that is too long', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`, 414, 'UriTooLongError'],
    ['a URL that never ends', `GET /${'a'.repeat(80_000)}`, 414, 'UriTooLongError'],
    [
      'headers that are too long',
      `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'HeadersTooLargeError',
    ],
    ['too many headers', `GET / HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(30_000)}\r\n`, 431, 'HeadersTooLargeError'],
  ])('are answered and counted: %s', async (_, bytes, status, name) => {
    const { port } = await start();
    const answer = await exchange(port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
    if (name === '') return;
    const [head, body] = answer.split('\r\n\r\n');
    expect(JSON.parse(body).error).toMatchObject({ status, name });
    expect(head).toContain(`\r\nContent-Length: ${body.length}`);
    expect(await metric(port, `lectern_http_client_errors_total{status="${status}"}`)).toBe(1);
    expect((await askServer(port, '/api/things')).status).toBe(200);
  });

  test('names the setting of the exceeded limit, which can be raised', async () => {
    const { port } = await start({ connections: { headerBytes: 4096 } });
    const answer = await exchange(port, `GET /${'a'.repeat(5000)} HTTP/1.1\r\n${host}\r\n`);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]).error.details).toEqual({
      limit: 4096,
      setting: 'connections.headerBytes',
    });
    const asItIs = await start();
    const long = `/api/things?x=${'a'.repeat(30_000)}`;
    const refused = await askServer(asItIs.port, long);
    expect(refused.status).toBe(414);
    expect(refused.json().error.details).toEqual({ limit: 16_384, setting: 'budgets.queryBytes' });
    const content = await openThings({ budgets: { queryBytes: 65_536 } });
    const raised = await start({}, content);
    expect((await askServer(raised.port, long)).json().error.name).toBe('ValidationError');
  });

  test('answers the requests of one packet in order', async () => {
    const { port } = await start();
    const paths = ['/api/things', '/api/nothing', '/api/things?pagination[limit]=1', '/_health'];
    const requests = paths.map((path, i) => {
      const close = i === paths.length - 1 ? 'Connection: close\r\n' : '';
      return `GET ${path} HTTP/1.1\r\n${host}${close}\r\n`;
    });
    const answer = await exchange(port, requests.join(''));
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual([
      '200',
      '404',
      '200',
      '204',
    ]);
  });

  test.each([
    ['/_health', 204],
    ['/api/things', 200],
  ])('are rejected after a complete request for %s is answered', async (path, status) => {
    const { port } = await start();
    const answer = await exchange(port, `GET ${path} HTTP/1.1\r\n${host}\r\nnonsense\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/HTTP\/1\.1 400 Bad Request\r\n/);
  });
});

describe('an invalid request behind pending replies', () => {
  const big = `GET /api/things?pagination[pageSize]=50 HTTP/1.1\r\n${host}Accept-Encoding: br\r\n\r\n`;
  const kindsOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

  test.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['headers that are too long', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`, 405],
    ['two hosts', `GET / HTTP/1.1\r\n${host}${host}\r\n`, 400],
    ['a URL of raw UTF-8', `GET /api/things?x=\u00c3\u00a4 HTTP/1.1\r\n${host}\r\n`, 400],
  ])('is answered once, after them: %s', async (_, bytes, status) => {
    const { port } = await start();
    const answer = await exchange(port, big + big.replace('br', 'gzip') + bytes);
    expect(kindsOf(answer)).toEqual([200, 200, status]);
    expect(answer.match(/Content-Encoding: \w+/g)).toEqual(['Content-Encoding: br', 'Content-Encoding: gzip']);
    expect(await metric(port, `lectern_http_client_errors_total{status="${status}"}`)).toBe(1);
  });

  test('is answered once, whatever follows', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1').on('data', (data) => (received += data));
    await once(socket, 'connect');
    socket.setNoDelay(true).write(`${big}nonsense\r\n\r\n`);
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      socket.write('more nonsense\r\n\r\n');
    }
    await once(socket, 'close');
    expect(kindsOf(received)).toEqual([200, 400]);
  });

  test('is answered after requests in the queue', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 100));
    try {
      const { port } = await start();
      const one = `GET /api/things/thing-1 HTTP/1.1\r\n${host}\r\n`;
      expect(kindsOf(await exchange(port, `${one.repeat(20)}nonsense\r\n\r\n`))).toEqual([...Array(20).fill(200), 400]);
    } finally {
      clock.mockRestore();
    }
  });

  test('ends a request whose body is invalid', async () => {
    const { port } = await start();
    const chunked = `POST /api/things HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
    expect(kindsOf(await exchange(port, `${big}${chunked}nonsense\r\n`))[0]).toBe(200);
  });
});

describe('the number of connections', () => {
  test('is limited: one more is closed at once', async () => {
    const { port } = await start({ connections: { most: 2 } });
    const open = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    await until(async () => (await exchange(port, '').catch(() => '')) === '');
    for (const socket of open) socket.destroy();
    await until(async () => (await askServer(port, '/_health').catch(() => null))?.status === 204);
  });
});

describe('clients that read slowly', () => {
  test('release their memory if they disconnect with pipelined requests', async () => {
    const { port } = await start({}, await openLarge());
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause().write(`GET /api/things/large HTTP/1.1\r\n${host}\r\n`.repeat(5));
    await until(async () => (await metric(port, 'lectern_unsent_bytes')) > 0);
    socket.resetAndDestroy();
    await until(async () => (await metric(port, 'lectern_unsent_bytes')) === 0);
  });

  test('are disconnected at the time limit if they read too little', () => {
    vi.useFakeTimers();
    const handlers = new Map<string, (socket: unknown) => void>();
    const server = {
      on: (event: string, handler: (socket: unknown) => void) => handlers.set(event, handler),
      once: () => {},
      setTimeout: () => {},
    };
    let cutOff = 0;
    const readers = new SlowReaders(server as never, 10_000, () => cutOff++);
    const sockets = ['slow', 'steady', 'idle'].map((name) => ({
      name,
      bytesWritten: 0,
      writableLength: 0,
      destroyed: false,
      once: () => {},
      destroy() {
        this.destroyed = true;
      },
    }));
    const [slow, steady, idle] = sockets;
    for (const socket of sockets) handlers.get('connection')!(socket);
    expect(readers.connections).toBe(3);
    // a reply of a megabyte has ten seconds, and 64 more for its bytes
    Object.assign(slow, { bytesWritten: 2 ** 20, writableLength: 2 ** 20 });
    Object.assign(steady, { bytesWritten: 2 ** 20, writableLength: 2 ** 20 });
    for (let second = 0; second <= 74; second++) {
      if (second % 10 === 9) slow.writableLength -= 1;
      // replies of twenty seconds each: there are always unsent bytes, but of different replies
      steady.writableLength = 2 ** 20 - ((second % 20) * 2 ** 20) / 20;
      steady.bytesWritten = 2 ** 20 * (1 + Math.floor(second / 20));
      readers.check(second * 1000);
      expect(slow.destroyed).toBe(false);
    }
    readers.check(74_001);
    expect([slow.destroyed, steady.destroyed, idle.destroyed, cutOff]).toEqual([true, false, false, 1]);
    vi.useRealTimers();
  });

  test('hold bounded memory in total: one more gets a 503 with Retry-After', async () => {
    const { port } = await start({ connections: { unsentBytes: 2 ** 20 } }, await openLarge());
    const path = '/api/things/large';
    // the second request caches the reply, and later ones send the same buffer
    for (let i = 0; i < 2; i++) await askServer(port, path);
    const sent = await askServer(port, `${path}?fields=title`);
    const socket = await stall(port, 5);
    await until(async () => (await metric(port, 'lectern_unsent_bytes')) > 10 * 2 ** 20);
    // a buffer that is already being sent is not counted again
    expect((await askServer(port, path)).status).toBe(200);
    const refused = await askServer(port, `${path}?fields=title`);
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json().error.name).toBe('ServiceUnavailableError');
    expect((await askServer(port, '/api/things/small')).status).toBe(200);
    // replies without a body need no memory
    const head = await askServer(port, `${path}?fields=title`, { method: 'HEAD' });
    expect([head.status, head.headers.etag]).toEqual([200, sent.headers.etag]);
    const known = { headers: { 'if-none-match': sent.headers.etag! } };
    expect((await askServer(port, `${path}?fields=title`, known)).status).toBe(304);
    socket.destroy();
    await until(async () => (await askServer(port, `${path}?fields=title`)).status === 200);
    await until(async () => (await metric(port, 'lectern_unsent_bytes')) === 0);
  });
});
