// What the server knows about the inside of Node is true of the Node that runs this test.
import { executionAsyncResource } from 'node:async_hooks';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createBoundedServer } from '../../src/server/connections/sockets.ts';
import { collectGarbage, currentResponse, endReading, readAsStream } from '../../src/server/node-internals.ts';
import { exchange } from '../support/server.ts';

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  closings.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test('parses no bytes after the request at which reading ends', async () => {
  const timeouts = { headers: 1000, request: 1000, keepAlive: 1000 };
  const connections = { most: 10, requests: 0, headerBytes: 8192 };
  const refused = vi.fn();
  let count = 0;
  const listener: RequestListener = (request, response) => {
    if (++count === 5) {
      request.socket.pause();
      endReading(request.socket);
      response.setHeader('Connection', 'close');
    }
    setImmediate(() => response.end());
  };
  const port = await listen(createBoundedServer({ timeouts, connections, trustProxy: [] } as never, listener, refused));
  const text = await exchange(port, get.repeat(2000));
  expect(count).toBe(5);
  expect(text.match(/^HTTP\/1\.1 200 /gm)).toHaveLength(5);
  expect(text).not.toContain('400');
  expect(refused).not.toHaveBeenCalled();
});

test('the current response of a connection is the one that is sent next', async () => {
  const current: boolean[] = [];
  const server = createServer((request, response) => {
    current.push(currentResponse(request.socket) === response);
    setImmediate(() => response.end());
  });
  await exchange(await listen(server), get + get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  expect(current).toEqual([true, false]);
});

test('a connection that was paused before its upgrade can be read as a stream', async () => {
  const received: string[] = [];
  const server = createServer(({ socket }, response) => {
    socket.pause();
    server.once('upgrade', () => {
      socket.on('data', (data) => received.push(data.toString()));
      response.end(() => client.write('later'));
    });
  });
  server.on('upgrade', (_request, socket) => readAsStream(socket));
  const port = await listen(server);
  const upgrade = get.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const client = connect(port, '127.0.0.1', () => client.write(get + upgrade));
  closings.push(() => client.destroy());
  await vi.waitFor(() => expect(received.join('')).toBe('later'));
});

test('the resource of a tick is the object that Node made for it', async () => {
  const resource = await new Promise<object>((resolve) => {
    process.nextTick(() => resolve(executionAsyncResource()));
  });
  expect(resource).toHaveProperty('callback');
});

test('garbage is collected on demand', async () => {
  const collected = new WeakRef({ large: Buffer.alloc(2 ** 20) });
  await new Promise((resolve) => setImmediate(resolve));
  await collectGarbage();
  expect(collected.deref()).toBeUndefined();
});
