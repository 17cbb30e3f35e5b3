import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // lets a test force a collection before it reads the heap
    execArgv: ['--expose-gc'],
    // extension modules that tests write are imported by Node itself, as in a server
    server: { deps: { external: [/lectern-extend-/] } },
  },
});
