import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { endReading } from '../../src/server/connections/end-reading.ts';
import { createBoundedServer } from '../../src/server/connections/sockets.ts';
import { exchange } from '../support/server.ts';

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

test('parses no bytes after the request at which reading ends', async () => {
  const timeouts = { headers: 1000, request: 1000, keepAlive: 1000 };
  const connections = { most: 10, requests: 0, headerBytes: 8192 };
  const refused = vi.fn();
  let count = 0;
  const server = createBoundedServer(
    { timeouts, connections, trustProxy: [] } as never,
    (request, response) => {
      if (++count === 5) {
        request.socket.pause();
        endReading(request.socket);
        response.setHeader('Connection', 'close');
      }
      setImmediate(() => response.end());
    },
    refused,
  );
  closings.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000));
  expect(count).toBe(5);
  expect(text.match(/^HTTP\/1\.1 200 /gm)).toHaveLength(5);
  expect(text).not.toContain('400');
  expect(refused).not.toHaveBeenCalled();
});
