// Threads have the same contents, and one that ends is replaced after a delay. Threads and timers are mocked.
import { beforeEach, expect, test, vi } from 'vitest';
import { configSchema } from '../../src/config/config.ts';
import { createEntry } from '../../src/contents/contents.ts';
import { createLog } from '../../src/server/log.ts';
import type { EntryChange } from '../../src/threads/messages.ts';
import { ThreadGroup } from '../../src/threads/thread-group.ts';

interface MockedThread {
  age: number;
  end(error: Error | null): void;
  /** What the thread was sent, in order. */
  readonly calls: string[];
  /** Whether it fails to change its contents. */
  isBroken: boolean;
}

const { started } = vi.hoisted(() => ({ started: [] as MockedThread[] }));

vi.mock('../../src/threads/answering-thread.ts', () => ({
  AnsweringThread: class {
    age = 0;
    hasEnded = false;
    lastSamples = [];
    calls: string[] = [];
    isBroken = false;
    end!: (error: Error | null) => void;
    ended = new Promise<Error | null>((resolve) => (this.end = resolve));
    functions = {
      changeContents: async (changes: EntryChange[]) => {
        if (this.isBroken) throw new Error('is broken');
        this.calls.push(changes.map(describeChange).join());
      },
      listen: async () => {
        this.calls.push('listen');
        return { port: 1337, address: 'http://127.0.0.1:1337/' };
      },
      stop: async () => {},
    };
    terminate = async () => this.end(null);

    constructor() {
      started.push(this);
    }
  },
}));
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

function describeChange(change: EntryChange): string {
  if (change.kind === 'set') return change.entry.name;
  return change.kind === 'apply' ? `+${change.name}` : `-${change.name}`;
}

beforeEach(() => void started.splice(0));

async function listeningGroup(threads = 1) {
  const lines: Record<string, any>[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const config = configSchema.parse({ port: 0 });
  const unused = () => {
    throw new Error('not expected');
  };
  const options = { config, log, counters: undefined, threads, areChosen: true };
  const group = new ThreadGroup({ ...options, operations: unused, upload: unused });
  await group.listen();
  return { group, lines };
}

/** Ends the last thread at this age, in milliseconds, and waits for the one that replaces it. */
async function endLast(age: number, error: Error | null = null): Promise<void> {
  const { length } = started;
  Object.assign(started[length - 1], { age });
  started[length - 1].end(error);
  await vi.waitUntil(() => started.length > length, { interval: 1 });
}

const set = (name: string): EntryChange => {
  const { content, ...entry } = createEntry({ name, hosts: [], content: null, error: null, put: null });
  return { kind: 'set', entry: { ...entry, snapshot: null, batches: [] } };
};
const apply = (name: string): EntryChange => ({
  kind: 'apply',
  name,
  batch: { entities: [], links: [] },
  version: '1-1',
});
const remove = (name: string): EntryChange => ({ kind: 'delete', name });

test('every thread is sent the same changes in the same order', async () => {
  const { group } = await listeningGroup(2);
  await group.changeContents([set('main'), set('a')]);
  await Promise.all([group.changeContents([set('b')]), group.changeContents([remove('a')])]);
  const calls = ['listen', 'main,a', 'b', '-a'];
  expect(started.map((thread) => thread.calls)).toEqual([calls, calls]);
});

test('a thread that replaces another is sent all contents at once before it listens', async () => {
  const { group } = await listeningGroup();
  await group.changeContents([set('main'), set('a')]);
  await group.changeContents([set('b')]);
  await group.changeContents([remove('a')]);
  await endLast(0);
  await vi.waitUntil(() => started[1].calls.length === 2);
  expect(started[1].calls).toEqual(['main,b', 'listen']);
});

test('a thread that fails to change its contents is replaced', async () => {
  const { group, lines } = await listeningGroup(2);
  await group.changeContents([set('main')]);
  started[0].isBroken = true;
  await group.changeContents([set('a')]);
  await vi.waitUntil(() => started[2]?.calls.length === 2);
  expect(started[2].calls).toEqual(['main,a', 'listen']);
  expect(started[1].calls).toEqual(['listen', 'main', 'a']);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'a thread failed to serve the content',
    'a thread ended unexpectedly and is replaced',
  ]);
});

test('a thread that fails to apply a batch is replaced, and the new one is sent the contents', async () => {
  const { group } = await listeningGroup(2);
  await group.changeContents([set('main')]);
  started[0].isBroken = true;
  await group.changeContents([apply('main')]);
  await vi.waitUntil(() => started[2]?.calls.length === 2);
  expect(started.slice(1).map(({ calls }) => calls)).toEqual([
    ['listen', 'main', '+main'],
    ['main', 'listen'],
  ]);
});

test('each delay is twice the one before, up to 30 seconds, and the first again after a minute', async () => {
  const { group, lines } = await listeningGroup();
  for (let i = 0; i < 11; i++) await endLast(59_999);
  await endLast(60_000);
  await endLast(0);
  const delays = lines.map(({ milliseconds }) => milliseconds);
  expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 100, 200]);
  expect(group.figures.restarted).toBe(13);
});

test('the error that ended a thread is logged with its number', async () => {
  const { lines } = await listeningGroup();
  await endLast(0, new Error('out of memory'));
  expect(lines).toMatchObject([
    { level: 50, thread: 1, err: { message: 'out of memory' }, msg: 'a thread ended unexpectedly and is replaced' },
  ]);
});

test('a thread that ends while the group stops is not replaced', async () => {
  const { group, lines } = await listeningGroup();
  await group.stop();
  await new Promise(setImmediate);
  expect(started).toHaveLength(1);
  expect([lines, group.figures]).toEqual([[], { answering: 0, restarted: 0 }]);
});
