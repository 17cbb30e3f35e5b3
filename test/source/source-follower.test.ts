import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { SnapshotError } from '../../src/core/errors.ts';
import { SourceFollower } from '../../src/follow/source-follower.ts';
import { ReaderGone } from '../../src/follow/source-reader.ts';
import { type Content, open } from '../../src/index.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { until } from '../support/server.ts';
import { misfit, retitle, ScriptedReading, titled } from './scripted-reading.ts';

const followers: SourceFollower[] = [];
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.close();
});

const away = new SnapshotError(['http://127.0.0.1:1337: does not answer']);

/** Follows a source whose content is the thing "First", which is served already. */
async function follow(reading = new ScriptedReading(titled('First')), pause = 1, longestPause?: number) {
  const config = configSchema.parse({});
  const content: Content = await open(titled('First'), { public: true });
  const changes = new ChangeWriter(content, async () => {});
  const lines: { level: number; msg: string }[] = [];
  const log = createLog(config.log, { write: (line) => void lines.push(JSON.parse(line)) });
  let now = 1000;
  const clock = { set: (time: number) => (now = time) };
  const delays: number[] = [];
  const follower = new SourceFollower({
    name: './my-strapi',
    settings: config,
    isShared: false,
    log,
    cache: null,
    read: () => reading,
    now: () => now,
    retryDelay: (failures) => {
      delays.push(failures);
      return pause;
    },
    longestPause,
  });
  followers.push(follower);
  await follower.load();
  const freshness = {
    get figures() {
      return follower.freshness;
    },
  };
  const applied: string[] = [];
  const ended = follower.follow({
    get loaded() {
      return content.history.loaded;
    },
    get version() {
      return content.version;
    },
    apply: async (batch) => {
      await changes.change({ previous: null, form: 'batch', given: batch }, null);
      applied.push(String(batch.entities[0].data!.title));
    },
    take: async () => {},
    pin: async () => {},
    replace: (loaded, started) => changes.reload(loaded, { started }),
  });
  const title = () => content.findOne('things', 'one').data.title as string;
  return { content, follower, reading, freshness, lines, delays, applied, clock, ended, title };
}

test('batches are applied in order', async () => {
  const { reading, applied, title, freshness } = await follow();
  reading.tell(retitle('Second'), retitle('Third'), retitle('Fourth'));
  await until(() => title() === 'Fourth');
  expect(applied).toEqual(['Second', 'Third', 'Fourth']);
  expect(reading.calls).toEqual(['load', 'next', 'next', 'next', 'next']);
  expect(freshness.figures).toMatchObject({ batches: 3, reloads: 0, failures: 0 });
});

test('a batch without changes makes no version', async () => {
  const { reading, content, freshness } = await follow();
  reading.tell({ kind: 'batch', batch: { entities: [], links: [] }, readAt: 5000 });
  await until(() => freshness.figures.readAt === 5000);
  expect(content.version).toMatch(/-0$/);
  expect(freshness.figures).toMatchObject({ batches: 0, lag: null });
});

test('what no batch tells is read whole', async () => {
  const { reading, title, lines, freshness } = await follow();
  reading.content = titled('Second');
  reading.tell({ kind: 'reload', reason: 'an attribute was added', readAt: 2000 });
  await until(() => title() === 'Second');
  expect(lines.map(({ msg }) => msg)).toEqual(['the source is read whole: an attribute was added']);
  expect(freshness.figures).toMatchObject({ reloads: 1, failures: 0 });
});

test('content that is read whole and is the same keeps its version', async () => {
  const { follower, content, reading, freshness } = await follow();
  const { version } = content;
  expect(await follower.reload()).toBe(false);
  expect(content.version).toBe(version);
  expect(reading.calls.slice(0, 4)).toEqual(['load', 'next', 'reset', 'load']);
  expect(freshness.figures.reloads).toBe(0);
});

test('other tokens identify callers at once, and the content keeps its version', async () => {
  const { reading, content, lines, freshness } = await follow();
  const statusOf = async () => (await content.answer('/api/things', { authorization: 'Bearer all' })).status;
  const { version } = content;
  expect(await statusOf()).toBe(401);
  const access = { apiTokens: [apiToken('all')], secrets, emailConfirmation: true };
  reading.tell({ kind: 'access', access, reason: 'the API tokens have changed', readAt: 2000 });
  await until(() => lines.length === 1);
  expect(lines[0]).toMatchObject({ level: 30, msg: 'callers are identified anew: the API tokens have changed' });
  expect([await statusOf(), content.version]).toEqual([200, version]);
  expect(content.history.loaded).toMatchObject({ emailConfirmation: true });
  expect(reading.calls).toEqual(['load', 'next', 'next']);
  // the content is compared afterwards
  expect(freshness.figures).toMatchObject({ readAt: 1000, reloads: 0 });
});

test('other tokens identify callers while everything is loaded, and the loaded content is served afterwards', async () => {
  const { follower, reading, content, lines, title } = await follow();
  const statusOf = async () => (await content.answer('/api/things', { authorization: 'Bearer all' })).status;
  const access = { apiTokens: [apiToken('all')], secrets, emailConfirmation: true };
  follower.access(access);
  const release = reading.hold();
  reading.content = titled('Second');
  const isNew = follower.reload();
  await until(() => reading.calls.at(-1) === 'load');
  expect(await statusOf()).toBe(401);
  follower.access(access);
  await until(() => lines.length === 1);
  const reason = 'the API tokens and the secrets and the settings of users have changed';
  expect(lines[0].msg).toBe(`callers are identified anew: ${reason}`);
  expect([await statusOf(), title()]).toEqual([200, 'First']);
  // the same again, and a deletion
  follower.access(access);
  follower.access({ ...access, apiTokens: [] });
  await until(() => lines.length === 2);
  expect(await statusOf()).toBe(401);
  release();
  expect(await isNew).toBe(true);
  expect([await statusOf(), title()]).toEqual([401, 'Second']);
});

test('what a batch says besides its changes is logged', async () => {
  const { reading, lines, applied } = await follow();
  reading.tell(retitle('Second', { reason: '1 entry was found late', warning: 'a component does not fit' }));
  await until(() => applied.length === 1);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, 'a component does not fit'],
    [30, '1 entry was found late'],
  ]);
});

test('a batch that does not fit is followed by a reading of everything', async () => {
  const { reading, title, lines, freshness, delays } = await follow();
  reading.content = titled('Second');
  reading.tell(misfit());
  await until(() => title() === 'Second');
  reading.tell(retitle('Third'));
  await until(() => title() === 'Third');
  expect(reading.calls).toEqual(['load', 'next', 'load', 'next', 'next']);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [50, expect.stringMatching(/^the content stays as it is, and its source is tried again: a change does not fit: /)],
    [30, 'the source is read again'],
  ]);
  expect(freshness.figures).toMatchObject({ batches: 1, reloads: 1, failures: 1, failuresInARow: 0, error: null });
  expect(delays).toEqual([1]);
});

test('batches that never fit are tried with a growing delay, although everything can be read', async () => {
  const { reading, delays } = await follow();
  reading.tell(misfit(), misfit(), misfit(), misfit());
  await until(() => reading.calls.filter((call) => call === 'load').length === 5);
  expect(delays).toEqual([1, 2, 3, 4]);
});

test('a source that is away leaves the content, is logged once and tried again until it is back', async () => {
  const { reading, title, lines, freshness, delays } = await follow();
  reading.content = away;
  reading.tell({ kind: 'reload', reason: 'an attribute was added', readAt: 2000 });
  await until(() => freshness.figures.failures >= 5);
  expect(title()).toBe('First');
  expect(freshness.figures).toMatchObject({ readAt: 1000, error: { at: 1000, message: away.problems[0] } });
  expect(freshness.figures.failuresInARow).toBeGreaterThanOrEqual(5);
  reading.content = titled('Second');
  await until(() => title() === 'Second');
  expect(freshness.figures).toMatchObject({ failuresInARow: 0, error: null });
  expect(delays.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [30, 'the source is read whole: an attribute was added'],
    [50, `the content stays as it is, and its source is tried again: ${away.problems[0]}`],
    [30, 'the source is read again'],
  ]);
});

test('a source whose content is refused after a long reading is left alone for as long', async () => {
  const { follower, reading, freshness } = await follow();
  const loads = () => reading.calls.filter((call) => call === 'load').length;
  const release = reading.hold();
  reading.content = new SnapshotError(['things.json: is no snapshot']);
  const before = loads();
  follower.compareAll();
  await until(() => loads() === before + 1);
  const begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const duration = performance.now() - begun;
  const ended = performance.now();
  release();
  await until(() => loads() > before + 1);
  expect(performance.now() - ended).toBeGreaterThan(duration * 0.9);
  expect(freshness.figures.failures).toBeGreaterThan(0);
});

test.each([
  ['a webhook', 0, (follower: SourceFollower) => follower.hint({ event: 'entry.update' })],
  ['a changed file', 0, (follower: SourceFollower) => follower.signOfLife()],
  ['a webhook after some seconds', 2000, (follower: SourceFollower) => follower.hint({ event: 'entry.update' })],
])('%s ends the pause after a failure', async (_, after, signal) => {
  const { follower, reading, freshness, title } = await follow(undefined, 3_600_000);
  reading.tell(away);
  await until(() => freshness.figures.failures === 1);
  reading.tell(retitle('Second'));
  await new Promise((resolve) => setTimeout(resolve, after));
  signal(follower);
  await until(() => title() === 'Second');
});

test('signs of life are at most one attempt a second', async () => {
  const { follower, reading, freshness } = await follow(undefined, 3_600_000);
  const attempts: number[] = [];
  reading.onNext = () => attempts.push(performance.now());
  reading.tell(away, away, away, away);
  const signs = setInterval(() => follower.signOfLife(), 5);
  await until(() => freshness.figures.failures === 4);
  clearInterval(signs);
  const pauses = attempts.slice(1).map((time, i) => time - attempts[i]);
  expect(Math.min(...pauses)).toBeGreaterThan(900);
});

test('a reader that waits is asked again after the longest pause, and a load after its own', async () => {
  const { reading, freshness } = await follow(undefined, 3_600_000, 1);
  reading.tell(away, away, away);
  await until(() => freshness.figures.failures === 3);
  reading.tell(new ReaderGone(['my-strapi: the thread that reads it has ended']), retitle('Second'));
  await until(() => freshness.figures.failures === 4);
  await sleep(50);
  expect(reading.calls.at(-1)).toBe('next');
});

test('each further reason is logged', async () => {
  const { reading, lines, freshness } = await follow();
  reading.tell(away, away, new SnapshotError(['my-strapi: is locked']), away);
  await until(() => freshness.figures.failures === 4);
  expect(lines.map(({ msg }) => /tried again: (.*)$/s.exec(msg)![1])).toEqual([
    away.problems[0],
    'my-strapi: is locked',
    away.problems[0],
  ]);
});

test('a failure of `next` that leaves the reader what it knows is followed by `next`', async () => {
  const { reading, title } = await follow();
  reading.tell(away, retitle('Second'));
  await until(() => title() === 'Second');
  expect(reading.calls).toEqual(['load', 'next', 'next', 'next']);
});

test('a reader that is gone is followed by a reading of everything', async () => {
  const { reading, title } = await follow();
  reading.content = titled('Second');
  reading.tell(new ReaderGone(['my-strapi: the thread that reads it has ended']));
  await until(() => title() === 'Second');
  expect(reading.calls).toEqual(['load', 'next', 'load', 'next']);
});

test('a reload that was asked for rejects with what is wrong, and following goes on', async () => {
  const { follower, reading, title, lines } = await follow();
  reading.content = away;
  await expect(follower.reload()).rejects.toBe(away);
  reading.content = titled('Second');
  expect(await follower.reload()).toBe(true);
  expect(title()).toBe('Second');
  reading.tell(retitle('Third'));
  await until(() => title() === 'Third');
  // whoever asked has logged the failure
  expect(lines.filter(({ level }) => level === 50)).toEqual([]);
});

test('callers who ask for a reload during one share it', async () => {
  const { follower, reading, title } = await follow();
  const release = reading.hold();
  const first = follower.reload();
  await until(() => reading.calls.filter((call) => call === 'load').length === 2);
  expect(follower.reload()).toBe(first);
  reading.content = titled('Second');
  release();
  expect(await first).toBe(true);
  expect(title()).toBe('Second');
});

test('changes that come while a version is pinned are served when it is released', async () => {
  const { content, reading, applied, title } = await follow();
  content.pin(content.version);
  reading.tell(retitle('Second'), retitle('Third'));
  await until(() => applied.length === 2);
  reading.content = titled('Fourth');
  reading.tell({ kind: 'reload', reason: 'too much has changed', readAt: 1 });
  await until(() => reading.calls.length === 6);
  expect(title()).toBe('First');
  content.unpin();
  expect(title()).toBe('Fourth');
});

test('the lag is the time from the change, or from its notice, until it is served', async () => {
  const { reading, freshness, clock, applied } = await follow();
  clock.set(5000);
  reading.tell(retitle('Second', { readAt: 4600 }));
  await until(() => applied.length === 1 && freshness.figures.readAt === 4600);
  expect(freshness.figures).toMatchObject({ readAt: 4600, lag: 400 });
  reading.tell(retitle('Third', { readAt: 4900, changedAt: 4000 }));
  await until(() => freshness.figures.readAt === 4900);
  expect(freshness.figures).toMatchObject({ lag: 1000, batches: 2 });
});

test('a comparison that finds nothing makes the content fresh', async () => {
  const { follower, freshness } = await follow();
  follower.unchanged(7000);
  expect(freshness.figures).toMatchObject({ readAt: 7000, batches: 0 });
});

test('a reading of everything logs how many entries had been missed', async () => {
  const { follower, reading, title, lines } = await follow();
  reading.content = titled('Second');
  follower.compareAll();
  await until(() => title() === 'Second');
  follower.compareAll();
  await until(() => lines.length === 2);
  expect(lines).toMatchObject([
    { level: 40, entries: 1, others: 0, msg: 'everything was read again: 1 entry had been missed' },
    { level: 30, msg: 'everything was read again, and nothing had been missed' },
  ]);
});

test('a follower that is closed reads no more', async () => {
  const { follower, reading, ended } = await follow();
  await follower.close();
  await ended;
  expect(reading.calls.at(-1)).toBe('close');
});
