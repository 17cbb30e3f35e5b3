import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { askServer, closeServers } from '../support/http.ts';
import { exchange, samples, start, stopServersAfterEach } from '../support/server.ts';
import { begin, closeUpstreamsAfterEach, openSocket, startInFront, startUpstream } from '../support/upstream.ts';

/** Requests and replies on their way to and from the upstream server. */

stopServersAfterEach();
closeUpstreamsAfterEach();
afterEach(closeServers);

describe('a forwarded request', () => {
  test('arrives unchanged', async () => {
    const { port } = await startInFront();
    const path = '/custom/%2e%2e/a%20b?filters[x]=ä%20&a=1&a=2';
    const { sent, answer } = begin(port, encodeURI(path).replaceAll('%25', '%'), {
      method: 'PUT',
      headers: { Cookie: 'a=1; b=2', Authorization: 'Bearer x', 'X-Custom': 'y', 'Content-Type': 'text/plain' },
    });
    sent.end('the body');
    const received = JSON.parse(await text(await answer));
    expect(received).toMatchObject({ method: 'PUT', url: encodeURI(path).replaceAll('%25', '%'), body: 'the body' });
    expect(received.headers).toMatchObject({
      cookie: 'a=1; b=2',
      authorization: 'Bearer x',
      'x-custom': 'y',
      'content-type': 'text/plain',
    });
  });

  test('arrives below the path of the upstream address', async () => {
    const upstream = await startUpstream();
    const { port } = await start({ upstream: `${upstream.address}/strapi/` });
    expect((await askServer(port, '/admin?x=1')).json().url).toBe('/strapi/admin?x=1');
  });

  test('arrives without the origin if a proxy sends absolute URLs', async () => {
    const { port } = await startInFront();
    const answer = await exchange(
      port,
      'GET http://site.example/admin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toContain('"url":"/admin"');
  });

  test('arrives percent-encoded if its URL is raw UTF-8', async () => {
    const { port } = await startInFront();
    const url = Buffer.from('/admin/é').toString('latin1');
    const { until, socket } = await openSocket(port, '');
    socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1');
    await until('"url":"/admin/%C3%A9"');
  });

  test('carries the host of the upstream server and the address of the client', async () => {
    const { port, upstream } = await startInFront();
    const headers = { Host: 'site.example' };
    expect((await askServer(port, '/admin', { headers })).json().headers).toMatchObject({
      host: `127.0.0.1:${upstream.port}`,
      'x-forwarded-host': 'site.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '127.0.0.1',
    });
  });

  const claimed = {
    'X-Forwarded-For': '203.0.113.7',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'shop.example',
    'X-Forwarded-Port': '443',
    'X-Real-IP': '203.0.113.7',
    Forwarded: 'for=203.0.113.7',
  };

  test('keeps the client address that a trusted proxy sent', async () => {
    const { port } = await startInFront(undefined, { trustProxy: ['loopback'] });
    expect((await askServer(port, '/admin', { headers: claimed })).json().headers).toMatchObject({
      'x-forwarded-for': '203.0.113.7, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'shop.example',
      'x-forwarded-port': '443',
      'x-real-ip': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
    });
  });

  test('drops client addresses from untrusted senders', async () => {
    const { port } = await startInFront();
    const { headers } = (await askServer(port, '/admin', { headers: { ...claimed, Host: 'site.example' } })).json();
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'site.example',
    });
    for (const name of ['x-forwarded-port', 'x-real-ip', 'forwarded']) expect(headers[name]).toBeUndefined();
  });

  test('drops the headers of its connection', async () => {
    const { port } = await startInFront();
    const headers = {
      Connection: 'close, X-Hop',
      'X-Hop': '1',
      'Keep-Alive': 'timeout=9',
      TE: 'trailers',
      'X-Kept': '1',
    };
    const received = (await askServer(port, '/admin', { headers })).json().headers;
    expect(received['x-kept']).toBe('1');
    for (const name of ['x-hop', 'keep-alive', 'te']) expect(received[name]).toBeUndefined();
    expect(received.connection).toBe('keep-alive');
  });

  test('gets 100 Continue', async () => {
    const { port } = await startInFront();
    const { sent, answer } = begin(port, '/upload', { headers: { Expect: '100-continue', 'Content-Length': '4' } });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end('data');
    const received = JSON.parse(await text(await answer));
    expect([received.body, received.headers.expect]).toEqual(['data', undefined]);
  });

  test('is streamed: its beginning arrives before the client sends its end', async () => {
    let gotFirst = (_part: string) => {};
    const first = new Promise<string>((resolve) => (gotFirst = resolve));
    const { port } = await startInFront(async (request, response) => {
      request.once('data', (part) => gotFirst(String(part)));
      response.end(await text(request));
    });
    const { sent, answer } = begin(port, '/upload');
    sent.write('first');
    expect(await first).toBe('first');
    sent.end(', last');
    expect(await text(await answer)).toBe('first, last');
  });

  test('is not buffered if the upstream server reads slowly', async () => {
    const { port } = await startInFront((request) => void request.pause());
    const { sent } = begin(port, '/upload', { headers: { 'Content-Length': String(2 ** 30) } });
    sent.on('error', () => {});
    const before = process.memoryUsage();
    const part = Buffer.alloc(2 ** 20);
    let taken = 0;
    // only what the buffers of the sockets hold
    while (sent.write(part) || (await Promise.race([once(sent, 'drain'), silence(300)])) !== 'silence') taken++;
    expect(taken).toBeLessThan(64);
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(16 * 2 ** 20);
    sent.destroy();
  });

  test('is sent over a kept-alive connection', async () => {
    const { port, upstream } = await startInFront();
    for (let i = 0; i < 5; i++) await askServer(port, '/admin');
    expect(upstream.connections()).toBe(1);
  });

  test('is retried on a new connection if it is safe to repeat', async () => {
    const seen = new WeakSet();
    const { port } = await startInFront((request, response) => {
      if (seen.has(request.socket)) return void request.socket.destroy();
      seen.add(request.socket);
      response.end('ok');
    });
    expect((await askServer(port, '/admin')).status).toBe(200);
    expect((await askServer(port, '/admin')).body.toString()).toBe('ok');
    expect((await askServer(port, '/admin', { method: 'POST' })).status).toBe(502);
  });
});

describe('a forwarded reply', () => {
  test('arrives unchanged', async () => {
    const body = gzipSync('packed');
    const { port } = await startInFront((_request, response) => {
      response.writeHead(201, 'Made', [
        ...['Set-Cookie', 'a=1; Path=/', 'Set-Cookie', 'b=2; HttpOnly', 'Content-Encoding', 'gzip'],
        ...['Location', 'http://127.0.0.1:1/elsewhere', 'Access-Control-Allow-Origin', 'https://a.example'],
        ...['X-Frame-Options', 'SAMEORIGIN', 'ETag', '"x"', 'Content-Length', String(body.length)],
      ]);
      response.end(body);
    });
    const answer = await askServer(port, '/admin', { headers: { Origin: 'https://b.example' } });
    expect([answer.status, answer.body]).toEqual([201, body]);
    const { connection, 'keep-alive': _, date, ...headers } = answer.headers;
    expect([typeof date, connection]).toEqual(['string', 'close']);
    expect(headers).toEqual({
      'set-cookie': ['a=1; Path=/', 'b=2; HttpOnly'],
      'content-encoding': 'gzip',
      location: 'http://127.0.0.1:1/elsewhere',
      'access-control-allow-origin': 'https://a.example',
      'x-frame-options': 'SAMEORIGIN',
      etag: '"x"',
      'content-length': String(body.length),
    });
  });

  test('may be a redirect, an error, empty or without a body', async () => {
    const { port } = await startInFront((request, response) => {
      const status = Number(request.url!.slice(1));
      response.writeHead(status, status === 302 ? { Location: '/admin' } : {});
      response.end(status === 200 ? 'body' : undefined);
    });
    for (const status of [204, 302, 304, 404, 500, 503]) {
      expect((await askServer(port, `/${status}`)).status).toBe(status);
    }
    const head = await askServer(port, '/200', { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });

  test('is streamed: its beginning arrives before the upstream server sends its end', async () => {
    let end = () => {};
    const { port } = await startInFront((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      setImmediate(() => response.write('data: 1\n\n'));
      end = () => void response.end('data: 2\n\n');
    });
    const { sent, answer } = begin(port, '/events', { method: 'GET' });
    sent.end();
    const events = await answer;
    expect(String((await once(events, 'data'))[0])).toBe('data: 1\n\n');
    end();
    expect(await text(events)).toBe('data: 2\n\n');
  });

  test('arrives whole if it has many megabytes', async () => {
    const bytes = Buffer.alloc(5 * 2 ** 20, 'x');
    const { port } = await startInFront(async (request, response) => void response.end(await buffer(request)));
    const { sent, answer } = begin(port, '/upload');
    sent.end(bytes);
    expect((await buffer(await answer)).equals(bytes)).toBe(true);
  });

  test('drops the headers of the upstream connection', async () => {
    const { port } = await startInFront((_request, response) => {
      response.writeHead(200, { Connection: 'keep-alive, X-Hop', 'X-Hop': '1', 'Keep-Alive': 'timeout=99' });
      response.end('ok');
    });
    const answer = await exchange(port, 'GET /admin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).not.toMatch(/X-Hop|timeout=99/);
  });
});

describe('WebSockets', () => {
  const handshake = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: site.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n`;

  async function startEchoing(settings: object = {}) {
    const started = await startInFront(undefined, settings);
    started.upstream.server.on('upgrade', (request, socket) => {
      socket.on('error', () => {});
      const { host, 'x-forwarded-host': original } = request.headers;
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Seen: ${request.url} ${host} ${original}\r\n\r\n`,
      );
      socket.pipe(socket);
    });
    return started;
  }

  test('are forwarded in both directions', async () => {
    const { port, upstream } = await startEchoing();
    const { socket, until } = await openSocket(port, handshake('/socket?x=1'));
    expect(await until('\r\n\r\n')).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(await until(`/socket?x=1 127.0.0.1:${upstream.port} site.example`)).toBeDefined();
    socket.write('ping');
    await until('ping');
    socket.write('pong');
    await until('pong');
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    expect(found.get('lectern_http_request_duration_seconds_count{route="upstream",status="101"}')).toBe(1);
    socket.destroy();
  });

  test('are closed when the server stops', async () => {
    const { port, server, lines } = await startEchoing({ log: { requests: true } });
    const { socket, until } = await openSocket(port, handshake('/socket'));
    await until('101');
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
    expect(lines.find(({ msg }) => msg === 'upgrade')).toMatchObject({ method: 'GET', path: '/socket' });
  });

  test('get the answer of the upstream server if it refuses the upgrade', async () => {
    const { port, upstream } = await startInFront();
    upstream.server.on('upgrade', (_request, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
    );
    expect(await exchange(port, handshake('/socket'))).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[\s\S]*no$/);
  });

  test('are rejected with two Host headers', async () => {
    const { port } = await startEchoing();
    const answer = await exchange(port, handshake('/socket').replace('Host: ', 'Host: other.example\r\nhost: '));
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  });

  test('get a 502 if the upstream server is down', async () => {
    const { port } = await start({ upstream: 'http://127.0.0.1:1' });
    const answer = await exchange(port, handshake('/socket'));
    expect(answer).toMatch(/^HTTP\/1.1 502 Bad Gateway\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]).error.name).toBe('BadGatewayError');
  });

  test('are the only upgrades: others are ignored and the request is answered', async () => {
    const { port } = await startInFront();
    const offer = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n`;
    const content = await exchange(port, offer('/api/things?pagination[pageSize]=1'));
    expect(content).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*"total":60/);
    expect(await exchange(port, offer('/admin'))).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*"url":"\/admin"/);
  });
});

function silence(milliseconds: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, 'silence'));
}
