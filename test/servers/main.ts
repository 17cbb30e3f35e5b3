/**
 * Runs the tests of databases on other versions of PostgreSQL, MySQL and MariaDB, and those of publications on Redis and
 * Valkey. It installs them once into a folder. Takes 3 GB and some minutes a version. Debian on x64 only, as root.
 *
 *     npm run test:servers [-- postgres-13 mysql-8.4] [--folder FOLDER]
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installServer, servers } from './install.ts';

/** Maximum milliseconds of one server, so that a hang ends. */
const timeLimit = 1_800_000;

const databases = ['test/database', '--exclude'];
const kinds = {
  postgres: { variable: 'POSTGRES_PROGRAMS', tests: [...databases, 'test/database/mysql/**'] },
  mysql: { variable: 'MYSQL_PROGRAMS', tests: [...databases, 'test/database/postgres/**'] },
  redis: { variable: 'REDIS_SERVER', tests: ['test/publication'] },
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
  const { kind } = servers[name];
  const { variable, tests } = kinds[kind];
  console.log(`${name}: installing`);
  const programs = installServer(name, resolve(values.folder));
  const value = kind === 'redis' ? join(programs, readdirSync(programs)[0]) : programs;
  const env = { ...process.env, [variable]: value };
  const args = ['vitest', 'run', '--maxWorkers=1', ...tests];
  console.log(`${name}: ${variable}=${value} npx ${args.join(' ')}`);
  const { status } = spawnSync('npx', args, { cwd: root, env, stdio: 'inherit', timeout: timeLimit });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
