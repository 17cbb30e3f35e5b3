import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Files that need a process of their own: they replace functions of Node or whole modules, change the environment or
 * the working directory, measure the heap, or count on a fresh buffer pool. All others share one process per worker,
 * which saves most of the time of their imports.
 */
const isolated = [
  'test/cache-budgets.test.ts',
  'test/faults.test.ts',
  'test/files.test.ts',
  'test/media/unpacking.test.ts',
  'test/memory.test.ts',
  'test/rooms.test.ts',
  'test/serving/codecs.test.ts',
  'test/serving/log-writer.test.ts',
  'test/serving/process-events.test.ts',
  'test/upstream/passing.test.ts',
];

export default defineConfig({
  test: {
    // ends a test that hangs; a busy machine may need ten times as long as an idle one
    testTimeout: 120_000,
    pool: 'forks',
    maxWorkers: availableParallelism(),
    // lets a test force a collection before it reads the heap
    execArgv: ['--expose-gc'],
    restoreMocks: true,
    // extension modules that tests write are imported by Node itself, as in a server
    server: { deps: { external: [/lectern-extend-/] } },
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      { extends: true, test: { name: 'shared', isolate: false, include: ['test/**/*.test.ts'], exclude: isolated } },
    ],
  },
});
