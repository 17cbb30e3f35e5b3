/** The Redis is killed, loses data, or removes keys. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keysOf } from '../../../src/publication/redis/keys.ts';
import { publicationName, type Stage } from '../stage.ts';
import { few, type Row } from './row.ts';

const keys = keysOf(publicationName);
/** Bytes at the end of its log of writes that a Redis loses: some changes. */
const lostBytes = 12_000;
const memory = 6 * 2 ** 20;

/** Kills the Redis and starts it again after some milliseconds. `change` may change its data meanwhile. */
async function restart({ redis }: Stage, change: () => void = () => {}, down = 1000): Promise<void> {
  await redis.kill();
  await sleep(down);
  change();
  await redis.start();
}

const removed = (key: string): Row => ({
  name: `Redis removes the key ${key}`,
  options: few,
  async run(stage) {
    await stage.redis.send('DEL', keys[key as 'head']);
    await stage.untilWritten(5);
  },
});

/** Writes keys of another program until the memory is full, and some more. Returns how often a key of ours was missing. */
async function pushOut({ redis }: Stage): Promise<number> {
  const value = 'x'.repeat(20_000);
  let missing = 0;
  for (let i = 0; i < 3000; i++) {
    await redis.send('SET', `other:${i % 600}`, value);
    // keys that are asked for all the time are more recent than ours
    if (i % 10 === 0) for (let k = 0; k < 20; k++) await redis.send('GET', `other:${(i + k * 7) % 600}`);
    if (i % 50 !== 0) continue;
    await sleep(10);
    missing += 3 - Number(await redis.send('EXISTS', keys.head, keys.log, keys.wake));
  }
  return missing;
}

export const redisFails: readonly Row[] = [
  { name: 'Redis restarted with its data', options: few, run: (stage) => restart(stage) },
  { name: 'Redis down for 15 s', options: few, run: (stage) => restart(stage, undefined, 15_000) },
  {
    name: 'Redis restarted without data',
    options: few,
    run: (stage) => restart(stage, () => stage.redis.forget()),
  },
  {
    name: 'Redis restarted without its last changes',
    options: few,
    async run(stage) {
      await stage.untilWritten(20);
      await restart(stage, () => stage.redis.cutLog(lostBytes));
    },
  },
  {
    name: 'Redis restarted from an earlier copy',
    options: { ...few, persistence: 'file' },
    async run(stage) {
      const restore = await stage.redis.saveCopy();
      await stage.untilWritten(30);
      await restart(stage, restore);
    },
  },
  {
    name: 'Redis restarted from an earlier copy, publisher killed',
    options: { ...few, persistence: 'file' },
    async run(stage) {
      const { publisher, redis } = stage;
      const restore = await redis.saveCopy();
      await stage.untilWritten(30);
      await publisher.kill();
      await restart(stage, restore, 200);
      await publisher.start();
    },
  },
  {
    name: 'Redis restarted without data, publisher killed',
    options: few,
    async run(stage) {
      const { publisher, redis } = stage;
      await publisher.kill();
      await restart(stage, () => redis.forget(), 200);
      await publisher.start();
    },
  },
  {
    name: 'Redis without an answer for 8 s',
    options: few,
    async run({ redis }) {
      redis.freeze();
      await sleep(8000);
      redis.thaw();
    },
  },
  {
    name: 'Redis removes keys for want of memory',
    options: few,
    async run(stage) {
      const { redis } = stage;
      await redis.send('CONFIG', 'SET', 'maxmemory', String(memory), 'maxmemory-policy', 'allkeys-lru');
      const missing = await pushOut(stage);
      await redis.send('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
      const more = await pushOut(stage);
      await redis.send('CONFIG', 'SET', 'maxmemory', '0');
      if (missing + more === 0) throw new Error('no key of the publication was removed: nothing was tested');
    },
  },
  ...['head', 'log', 'wake', 'parts'].map(removed),
];
