// Threads that count in the same memory at the same time lose no request.
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { addressKey, createRateLimitMemory, RateLimitStore } from '../../src/server/rate-limit/rate-limit-store.ts';

/** Plain JavaScript, because Node 20 runs no TypeScript in a worker. Imports the built files. */
const program = `
  const { workerData, parentPort } = require('node:worker_threads');
  import(workerData.module).then(({ RateLimitStore }) => {
    const counts = new RateLimitStore(600, () => {}, workerData.counters);
    const seen = [];
    for (let i = 0; i < 30000; i++) seen.push(counts.increment(workerData.keys[i % workerData.keys.length]).totalHits);
    parentPort.postMessage(Math.max(...seen));
  });
`;

test('two threads count every request of the same addresses', async () => {
  const counters = createRateLimitMemory(1, 1);
  const keys = Array.from({ length: 3 }, (_, n) => `${addressKey}10.0.0.${n}`);
  const module = new URL('../../dist/server/rate-limit/rate-limit-store.js', import.meta.url).href;
  const highest = [1, 2].map(
    () =>
      new Promise<number>((resolve, reject) => {
        const worker = new Worker(program, { eval: true, workerData: { counters, keys, module } });
        worker.once('message', resolve).once('error', reject);
      }),
  );
  expect(Math.max(...(await Promise.all(highest)))).toBe(20_000);
  const counts = new RateLimitStore(600, () => {}, counters);
  expect(keys.map((key) => counts.increment(key).totalHits)).toEqual([20_001, 20_001, 20_001]);
});
