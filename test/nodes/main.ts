/**
 * Runs the tests that depend most on Node on other lines of Node: dist/ as a command and as a library, images, threads,
 * files, SQLite, HTTP, forwarding, and the operators and sorts of whole requests. Installs the binaries of `package.json`
 * once. Linux x64 only.
 *
 *     npm run test:nodes [-- 22 24 26] [--reports FOLDER]    # lines; a JSON report for each goes to the folder
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeOfLine } from './binaries.ts';

const files = [
  'test/behaviour/operators.test.ts',
  'test/behaviour/query-strings.test.ts',
  'test/behaviour/sort.test.ts',
  'test/cli/serve.test.ts',
  'test/documents/library.test.ts',
  'test/http',
  'test/image/attach-content.test.ts',
  'test/image/build-command.test.ts',
  'test/journal/journal.test.ts',
  'test/load/database/database.test.ts',
  'test/load/database/locked-copy.test.ts',
  'test/load/load-in-thread.test.ts',
  'test/media/unpacking.test.ts',
  'test/server/codecs.test.ts',
  'test/server/compression.test.ts',
  'test/server/connections.test.ts',
  'test/server/node-internals.test.ts',
  'test/server/process-events.test.ts',
  'test/server/raw-urls.test.ts',
  'test/server/stop.test.ts',
  'test/server/time-limits.test.ts',
  'test/threads/at-least.test.ts',
  'test/threads/changes.test.ts',
  'test/threads/forms-of-changes.test.ts',
  'test/threads/threads.test.ts',
  'test/upstream',
];

/** Modules that `.ci/run` has transformed need not be again. One more worker than cores, as most of the tests wait often. */
const pool = ['--experimental.fsModuleCache', `--maxWorkers=${availableParallelism() + 1}`];

/** Maximum milliseconds of one line, so that a hang ends. A run takes about a minute. */
const timeLimit = 600_000;

const root = join(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { reports: { type: 'string' } } });
const lines = positionals.length > 0 ? positionals : ['22', '24'];

const missing = files.filter((file) => !existsSync(join(root, file)));
if (missing.length > 0) throw new Error(`no such tests: ${missing.join(', ')}`);

const binaries = lines.map(nodeOfLine);

let failed = false;
for (const [i, node] of binaries.entries()) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`Node ${version}`);
  const reporters = values.reports
    ? ['--reporter=default', '--reporter=json', `--outputFile.json=${join(values.reports, `node-${lines[i]}.json`)}`]
    : [];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // some tests start `node` by its name
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
  const options = { cwd: root, env, stdio: 'inherit', timeout: timeLimit } as const;
  const { status, error } = spawnSync(node, [vitest, 'run', ...files, ...pool, ...reporters], options);
  if (error) console.error(`Node ${version}: ${error.message}`);
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
