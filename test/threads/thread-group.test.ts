// Threads have the same contents, and one that ends is replaced after a delay. Threads and timers are mocked.
import { beforeEach, expect, test, vi } from 'vitest';
import { createEntry } from '../../src/content/registry/contents.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import type { DescribedEntry, EntryChange } from '../../src/server/threads/messages.ts';
import { ThreadGroup } from '../../src/server/threads/thread-group.ts';
import { waitUntil } from '../support/wait.ts';

interface MockedThread {
  age: number;
  end(error: Error | null): void;
  /** What the thread was sent, in order. */
  readonly calls: string[];
  /** Whether it fails to change its contents. */
  isBroken: boolean;
}

const { started } = vi.hoisted(() => ({ started: [] as MockedThread[] }));

vi.mock('../../src/server/threads/answering-thread.ts', () => ({
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
  return `${{ apply: '+', rebase: '~', pin: '!', delete: '-' }[change.kind]}${change.name}`;
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
  /** What the coordinating thread serves. */
  const entries: DescribedEntry[] = [];
  const functions = { operations: unused, upload: unused, openTicket: unused };
  const group = new ThreadGroup({ ...options, entries: () => entries, ...functions });
  await group.listen();
  return { group, lines, entries };
}

/** Ends the last thread at this age, in milliseconds, and waits for the one that replaces it. */
async function endLast(age: number, error: Error | null = null): Promise<void> {
  const { length } = started;
  Object.assign(started[length - 1], { age });
  started[length - 1].end(error);
  await waitUntil(() => started.length > length);
}

const entryOf = (name: string): DescribedEntry => {
  const { content, ...entry } = createEntry({ name, content: null, error: null, put: null });
  return { ...entry, snapshot: null, pinned: null };
};
const set = (name: string): EntryChange => ({ kind: 'set', entry: entryOf(name) });
const apply = (name: string): EntryChange => ({
  kind: 'apply',
  name,
  change: {} as never,
});
const rebase = (name: string): EntryChange => ({
  kind: 'rebase',
  name,
  store: { manifest: {} as never, buffers: [] },
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
  const { entries } = await listeningGroup();
  entries.push(entryOf('main'), entryOf('b'));
  await endLast(0);
  await waitUntil(() => started[1].calls.length === 2);
  expect(started[1].calls).toEqual(['main,b', 'listen']);
});

test.each([
  ['to change its contents', set('a'), 'a'],
  ['to apply a batch', apply('main'), '+main'],
  ['to take a compacted store', rebase('main'), '~main'],
])('a thread that fails %s is replaced, and the new one is sent the contents', async (_, change, call) => {
  const { group, lines, entries } = await listeningGroup(2);
  entries.push(entryOf('main'));
  await group.changeContents([set('main')]);
  started[0].isBroken = true;
  await group.changeContents([change]);
  await waitUntil(() => started[2]?.calls.length === 2);
  expect(started.slice(1).map(({ calls }) => calls)).toEqual([
    ['listen', 'main', call],
    ['main', 'listen'],
  ]);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'a thread failed to serve the content',
    'a thread ended unexpectedly and is replaced',
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
