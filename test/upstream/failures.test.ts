import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { createBoundedServer } from '../../src/server/connections/sockets.ts';
import { askServer, closeServers } from '../support/http.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { begin, closeUpstreamsAfterEach, openSocket, startInFront } from '../support/upstream.ts';

/** Failures and delays of the upstream server and of clients. */

stopServersAfterEach();
closeUpstreamsAfterEach();
afterEach(closeServers);

const post = (path: string, length: number) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe('a failing upstream server', () => {
  test('is answered with a 502 while content is still served', async () => {
    const { port, lines } = await start({ upstream: 'http://127.0.0.1:1' });
    for (const method of ['GET', 'POST']) {
      const { status, headers, json } = await askServer(port, '/admin', { method });
      expect([status, json().error]).toEqual([
        502,
        { status: 502, name: 'BadGatewayError', message: 'The upstream server does not answer', details: {} },
      ]);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
      });
    }
    expect((await askServer(port, '/api/things')).status).toBe(200);
    expect((await askServer(port, '/_ready')).status).toBe(200);
    const told = lines.filter(({ msg }) => msg === 'the upstream server does not answer');
    expect(told).toMatchObject([{ level: 40, upstream: 'http://127.0.0.1:1', code: 'ECONNREFUSED' }]);
  });

  test('is logged when it answers again', async () => {
    const started = await startInFront((request, response) => {
      if (request.url === '/fail') request.socket.destroy();
      else response.end();
    });
    await askServer(started.port, '/fail', { method: 'POST' });
    await askServer(started.port, '/admin');
    const told = started.lines.map(({ msg }) => msg).filter((message) => message?.includes('upstream'));
    expect(told).toEqual(['the upstream server does not answer', 'the upstream server answers again']);
  });

  test('is answered with a 502 if it closes the connection before its reply', async () => {
    const { port } = await startInFront((request) => void request.socket.destroy());
    expect((await askServer(port, '/admin')).status).toBe(502);
  });

  test('is answered with a 502 if it does not speak HTTP', async () => {
    const { port, upstream } = await startInFront();
    upstream.server.removeAllListeners('connection');
    upstream.server.on('connection', (socket) => void socket.end('nonsense\r\n\r\n'));
    expect((await askServer(port, '/admin')).status).toBe(502);
  });

  test('ends the reply of the client if it closes the connection in the middle of a reply', async () => {
    const { port } = await startInFront((request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half');
      setImmediate(() => request.socket.destroy());
    });
    await expect(askServer(port, '/admin')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  test('is answered with a 504 and disconnected if it does not begin its reply in time', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { port } = await startInFront((request) => void (closed = once(request.socket, 'close')), {
      timeouts: { upstream: 50 },
    });
    const { status, json } = await askServer(port, '/admin');
    expect([status, json().error.name]).toEqual([504, 'GatewayTimeoutError']);
    await closed;
  });

  test('may send its reply slowly once it has begun', async () => {
    const { port } = await startInFront(
      (_request, response) => {
        response.write('first');
        setTimeout(() => response.end(', last'), 150);
      },
      { timeouts: { upstream: 50, send: 50 } },
    );
    expect((await askServer(port, '/admin')).body.toString()).toBe('first, last');
  });

  test('may answer before it has read the whole request', async () => {
    const { port } = await startInFront((_request, response) => {
      response.writeHead(413, { Connection: 'close' });
      response.end('too large');
    });
    const { sent, answer } = begin(port, '/upload');
    sent.on('error', () => {});
    sent.write('x'.repeat(100_000));
    const refused = await answer;
    expect([refused.statusCode, await text(refused)]).toEqual([413, 'too large']);
    sent.destroy();
  });
});

describe('a client of the upstream server', () => {
  test('ends its upstream request when it disconnects', async () => {
    let gone = () => {};
    const left = new Promise<void>((resolve) => (gone = resolve));
    const { port } = await startInFront((request, response) => {
      response.write('first');
      request.socket.once('close', gone);
    });
    const { sent, answer } = begin(port, '/events', { method: 'GET' });
    sent.on('error', () => {});
    sent.end();
    await once(await answer, 'data');
    sent.destroy();
    await left;
  });

  test('ends its upstream request when it disconnects during an upload', async () => {
    let gone = () => {};
    const left = new Promise<void>((resolve) => (gone = resolve));
    let begun = () => {};
    const arrived = new Promise<void>((resolve) => (begun = resolve));
    const { port } = await startInFront((request) => {
      request.on('error', () => {}).on('data', begun);
      request.once('close', gone);
    });
    const { sent } = begin(port, '/upload');
    sent.on('error', () => {});
    sent.write('first');
    await arrived;
    sent.destroy();
    await left;
  });

  test('may upload for longer than timeouts.request', async () => {
    const timeouts = { headers: 200, request: 200 };
    const { port } = await startInFront(undefined, { timeouts });
    const { socket, until } = await openSocket(port, post('/upload', 8));
    for (const part of '12345678') {
      await wait(50);
      socket.write(part);
    }
    expect(await until('"body":"12345678"')).toMatch(/^HTTP\/1.1 200 OK/);
    socket.destroy();
    // Node's own limit would end it at its next check, a second later
    const options = configSchema.parse({ upstream: 'http://127.0.0.1:1', timeouts });
    expect(
      createBoundedServer(
        options,
        () => {},
        () => {},
      ),
    ).toMatchObject({ requestTimeout: 0, headersTimeout: 200 });
  });

  test('gets a 408 if its upload stalls', async () => {
    const { port } = await startInFront(undefined, { timeouts: { headers: 50, request: 50 } });
    const { socket, until } = await openSocket(port, `${post('/upload', 100)}beginning`);
    expect(await until('RequestTimeoutError')).toMatch(
      /^HTTP\/1.1 408 Request Timeout\r\n[\s\S]*Connection: close\r\n/,
    );
    await once(socket, 'close');
  });

  test('is disconnected if it sends the body of a read too slowly, as without an upstream server', async () => {
    const { port } = await startInFront(undefined, { timeouts: { headers: 50, request: 50 } });
    const request = 'GET /api/things?fields=id HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbeginning';
    const { socket, until } = await openSocket(port, request);
    await until('HTTP/1.1 200 OK');
    await once(socket, 'close');
  });

  test('is not disconnected while the upstream server delays its upload', async () => {
    const { port } = await startInFront(
      (request, response) => {
        request.pause();
        setTimeout(async () => response.end(String((await text(request)).length)), 700);
      },
      { timeouts: { headers: 300, request: 300 } },
    );
    const size = 16 * 2 ** 20;
    const { sent, answer } = begin(port, '/upload', { headers: { 'Content-Length': String(size) } });
    sent.end(Buffer.alloc(size, 'x'));
    expect(await text(await answer)).toBe(String(size));
  });

  test('is disconnected if it sends invalid bytes while its reply is streamed, which stays intact', async () => {
    const { port } = await startInFront((_request, response) => void response.write('first'));
    const { socket, until, received } = await openSocket(port, 'GET /events HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('first');
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');
    expect(received()).not.toContain('400');
  });
});

test('finishes uploads and replies under way when it stops', async () => {
  let begun = () => {};
  const arrived = new Promise<void>((resolve) => (begun = resolve));
  const { port, server } = await startInFront(async (request, response) => {
    request.once('data', begun);
    response.end(await text(request));
  });
  const { socket, until } = await openSocket(port, post('/upload', 10));
  socket.write('12345');
  await arrived;
  const stopped = server.stop();
  socket.write('67890');
  expect(await until('1234567890')).toMatch(/\r\nConnection: close\r\n/);
  await stopped;
});
