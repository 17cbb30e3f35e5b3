import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parsePublicationAddress } from '../../src/publication/addresses.ts';
import { RedisConnection } from '../../src/publication/redis/connection.ts';
import { type RedisServer, readServer } from '../../src/publication/redis/server.ts';
import { startRedis } from './redis-server.ts';

test('connections are back soon after their server, however long that was away', async () => {
  const redis = await startRedis();
  const server = await readServer(parsePublicationAddress(redis.url) as RedisServer['address'], {});
  const connections = await Promise.all(Array.from({ length: 10 }, () => RedisConnection.open(server)));
  await redis.stop();
  await sleep(6500);
  const sockets: Socket[] = [];
  const listener = createServer((socket) => sockets.push(socket)).listen(redis.port, '127.0.0.1');
  await once(listener, 'listening');
  await sleep(1500);
  expect(sockets.length).toBe(connections.length);
  for (const each of connections) each.close();
  for (const each of sockets) each.destroy();
  listener.close();
});
