import { afterEach, expect, test, vi } from 'vitest';
import { backOff } from '../../src/core/back-off.ts';
import { SnapshotError, SourceAwayError } from '../../src/core/errors.ts';
import { untilTime } from '../../src/follow/pauses.ts';
import type { SourceCache } from '../../src/follow/source-cache.ts';
import { SourceFollower } from '../../src/follow/source-follower.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { until } from '../support/server.ts';
import { ScriptedReading, titled } from './scripted-reading.ts';

const opened: SourceFollower[] = [];
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
});

/** A cache in memory, which holds the content of this title. */
function cacheOf(title: string | null) {
  const cache = {
    asked: 0,
    kept: [] as string[],
    version: null as string | null,
    load: async () => {
      cache.asked++;
      return title === null ? null : { loaded: await loadSnapshot(titled(title)), readAt: 5000 };
    },
    setWritten: (version: string) => (cache.version = version),
    changed: (content: () => { version: string }) => cache.kept.push(content().version),
    close: async () => {},
  };
  return cache;
}

function open(reading: ScriptedReading, cache: ReturnType<typeof cacheOf> | null, patience = 60_000) {
  const config = configSchema.parse({});
  const lines: { level: number; msg: string }[] = [];
  const log = createLog(config.log, { write: (line) => void lines.push(JSON.parse(line)) });
  const source = new SourceFollower({
    name: 'http://127.0.0.1:1337',
    settings: config,
    isShared: false,
    log,
    read: () => reading,
    cache: cache as unknown as SourceCache | null,
    patience,
  });
  opened.push(source);
  return { source, lines };
}

const titleOf = ({ store }: LoadedSnapshot) => store.contentDigest;
const digest = async (title: string) => titleOf(await loadSnapshot(titled(title)));

/** Serves what is loaded, and returns the digests in their order. */
function follow(source: SourceFollower, loaded: LoadedSnapshot): string[] {
  const served = [titleOf(loaded)];
  let latest = loaded;
  void source.follow({
    get loaded() {
      return latest;
    },
    get version() {
      return `1-${served.length}`;
    },
    apply: async () => {},
    take: async () => {},
    pin: async () => {},
    replace: async (next) => {
      latest = next;
      served.push(titleOf(next));
      return true;
    },
  });
  return served;
}

test('a source that answers is served, and the cache is not asked', async () => {
  const cache = cacheOf('Kept');
  const { source } = open(new ScriptedReading(titled('Now')), cache);
  const loaded = await source.load();
  expect([titleOf(loaded), cache.asked]).toEqual([await digest('Now'), 0]);
  follow(source, loaded);
  expect(cache.kept).toEqual(['1-1']);
  expect(source.freshness.readAt).toBeGreaterThan(5000);
});

test('a source that is slow is served after the content of the cache', async () => {
  const reading = new ScriptedReading(titled('Now'));
  const release = reading.hold();
  const cache = cacheOf('Kept');
  const { source, lines } = open(reading, cache, 20);
  const loaded = await source.load();
  const served = follow(source, loaded);
  expect(cache.version).toBe('1-1');
  expect(source.freshness.readAt).toBe(5000);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, 'content from the cache is served until http://127.0.0.1:1337 can be read: reading it takes its time'],
  ]);
  release();
  await until(() => served.length === 2);
  expect(served).toEqual([await digest('Kept'), await digest('Now')]);
  expect(reading.calls.filter((call) => call === 'load')).toHaveLength(1);
});

test('a reload that is asked for during the first load reads everything once more', async () => {
  const reading = new ScriptedReading(titled('Now'));
  const release = reading.hold();
  const { source } = open(reading, cacheOf('Kept'), 20);
  const served = follow(source, await source.load());
  const isNew = source.reload();
  release();
  expect(await isNew).toBe(true);
  expect(served).toEqual(await Promise.all(['Kept', 'Now', 'Now'].map(digest)));
  expect(reading.calls.filter((call) => call === 'load')).toHaveLength(2);
});

test('a slow source is waited for if the cache has nothing', async () => {
  const reading = new ScriptedReading(titled('Now'));
  const release = reading.hold();
  const cache = cacheOf(null);
  const { source } = open(reading, cache, 20);
  const loading = source.load();
  await until(() => cache.asked === 1);
  release();
  expect(titleOf(await loading)).toBe(await digest('Now'));
});

test.each([null, cacheOf(null)])(
  'a source that is away rejects with its reason without content in a cache',
  async (cache) => {
    const away = new SnapshotError(['http://127.0.0.1:1337: does not answer']);
    const { source } = open(new ScriptedReading(away), cache);
    await expect(source.load()).rejects.toBe(away);
  },
);

test('a start waits for a source that is away, and not for one that is wrong', async () => {
  const away = new SourceAwayError(['http://127.0.0.1:1337: does not answer']);
  const reading = new ScriptedReading(away);
  const { source, lines } = open(reading, null);
  const loading = source.load();
  await until(() => reading.calls.length > 1);
  expect(source.freshness.error?.message).toBe(away.problems[0]);
  reading.content = titled('Now');
  const loaded = await loading;
  expect(titleOf(loaded)).toBe(await digest('Now'));
  follow(source, loaded);
  expect(source.freshness).toMatchObject({ error: null, failuresInARow: 0 });
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, `the start waits up to 60 s for its source (follow.startSeconds): ${away.problems[0]}`],
  ]);
});

test('a long read that fails does not count as waiting', async () => {
  const reading = new ScriptedReading(new SourceAwayError(['postgres://db/strapi: Strapi has changed its tables']));
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  try {
    const release = reading.hold();
    const { source } = open(reading, null);
    const loading = source.load();
    // longer than follow.startSeconds
    passed = 90_000;
    release();
    await until(() => reading.calls.length > 1);
    reading.content = titled('Now');
    expect(titleOf(await loading)).toBe(await digest('Now'));
  } finally {
    clock.mockRestore();
  }
});

test('the pause doubles up to the last', () => {
  const pauses = [1, 2, 3, 6, 7, 100].map((failures) => backOff(failures, { first: 1000, last: 60_000 }));
  expect(pauses).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
});

test('the daily reading is at a local time, up to ten minutes later', () => {
  const at = (text: string) => new Date(`2026-11-23T${text}:00`);
  expect(untilTime('03:30', at('03:00'), 0)).toBe(30 * 60_000);
  expect(untilTime('03:30', at('03:00'), 0.5)).toBe(35 * 60_000);
  expect(untilTime('03:30', at('03:30'), 0)).toBe(24 * 3_600_000);
  expect(untilTime('03:30', at('23:30'), 0)).toBe(4 * 3_600_000);
});
