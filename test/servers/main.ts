/**
 * Runs the tests of databases on other versions of PostgreSQL, MySQL and MariaDB, which it installs once into a folder. Takes
 * 3 GB and some minutes a version. Debian on x64 only, as root.
 *
 *     npm run test:servers [-- postgres-13 mysql-8.4] [--folder FOLDER]
 */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installServer, servers } from './install.ts';

/** Maximum milliseconds of one server, so that a hang ends. */
const timeLimit = 1_800_000;

const kinds = {
  postgres: { variable: 'POSTGRES_PROGRAMS', others: 'test/database/mysql/**' },
  mysql: { variable: 'MYSQL_PROGRAMS', others: 'test/database/postgres/**' },
} as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', default: join(tmpdir(), 'lectern-servers') } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(servers, name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: expected ${Object.keys(servers).join(', ')}`);
  process.exit(2);
}

const root = join(import.meta.dirname, '../..');
const failed: string[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(servers)) {
  const { variable, others } = kinds[servers[name].kind];
  console.log(`${name}: installing`);
  const programs = installServer(name, resolve(values.folder));
  const env = { ...process.env, [variable]: programs };
  const args = ['vitest', 'run', '--maxWorkers=1', 'test/database', '--exclude', others];
  console.log(`${name}: ${variable}=${programs} npx ${args.join(' ')}`);
  const { status } = spawnSync('npx', args, { cwd: root, env, stdio: 'inherit', timeout: timeLimit });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
