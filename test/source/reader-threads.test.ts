import { beforeEach, expect, test, vi } from 'vitest';
import { readerThreads } from '../../src/cli/reader-threads.ts';
import { ReaderThreads } from '../../src/follow/thread/reader-threads.ts';

/** The threads that were started, and whether each was ended. */
const started = vi.hoisted(() => [] as { isEnded: boolean }[]);

vi.mock('node:worker_threads', async (original) => ({
  ...(await original<typeof import('node:worker_threads')>()),
  Worker: class {
    isEnded = false;
    constructor() {
      started.push(this);
    }
    unref() {}
    async terminate() {
      this.isEnded = true;
    }
  },
}));

beforeEach(() => void started.splice(0));

test('hands out the thread that started ahead once', () => {
  const threads = new ReaderThreads();
  threads.startAhead('rest');
  threads.startAhead('rest');
  expect(started).toHaveLength(1);
  expect(threads.take('project').worker).toBe(started[1]);
  expect(threads.take('rest').worker).toBe(started[0]);
  expect(threads.take('rest').worker).toBe(started[2]);
});

test('ends the thread that started ahead unless it is of a given kind', async () => {
  const threads = new ReaderThreads();
  await threads.endUnless([]);
  threads.startAhead('project');
  await threads.endUnless(['rest', 'project']);
  threads.take('project');
  await threads.endUnless([]);
  expect(started.map(({ isEnded }) => isEnded)).toEqual([false]);
  threads.startAhead('project');
  await threads.endUnless(['rest']);
  threads.take('project');
  expect(started.map(({ isEnded }) => isEnded)).toEqual([false, true, false]);
});

test.each([
  [['redis://127.0.0.1:6379/0'], false, 1],
  [['https://cms.example.com', 'http://127.0.0.1:1337'], false, 1],
  [['next=http://127.0.0.1:1337/a=b'], false, 1],
  [[new URL('../../', import.meta.url).pathname], false, 1],
  [[`main=${new URL('../../', import.meta.url).pathname}`], false, 1],
  [[], true, 1],
  [['data/demo', 'content.tar.gz'], false, 0],
])('for %j with --database %s, it starts %i threads ahead', (snapshots, database, count) => {
  readerThreads(snapshots, database);
  expect(started).toHaveLength(count);
});
