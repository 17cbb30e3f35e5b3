// The memory that a process may hold is divided among its threads.
import { expect, test } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { shareOf } from '../../src/server/threads/thread-group.ts';

const config = configSchema.parse({ rateLimit: { requests: 10 } });

test('each thread has its share of caches, queue, connections and unsent replies', () => {
  const share = shareOf(config, 4);
  expect(share).toEqual({
    ...config,
    cacheBytes: 16 * 2 ** 20,
    contents: { ...config.contents, previewBytes: 4 * 2 ** 20 },
    derivedBytes: 4 * 2 ** 20,
    preparedBytes: 4 * 2 ** 20,
    searchBytes: 64 * 2 ** 20,
    connections: { ...config.connections, most: 2500, unsentBytes: 64 * 2 ** 20 },
    queue: { ...config.queue, requests: 1250, bytes: 8 * 2 ** 20 },
  });
});

test('shares are whole, never exceed the whole, and leave no thread without a queue', () => {
  const small = configSchema.parse({ cacheBytes: 0, connections: { most: 7 }, queue: { requests: 1 } });
  const share = shareOf(small, 3);
  expect([share.cacheBytes, share.connections.most, share.queue.requests]).toEqual([0, 2, 1]);
  expect(3 * shareOf(config, 3).connections.unsentBytes).toBeLessThanOrEqual(config.connections.unsentBytes);
});
