/** The versions of the programs that take part in a night. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedVersion } from '../strapi/installed.ts';
import { installedPrograms } from '../strapi/postgres.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sqlite = "require('better-sqlite3')(':memory:').prepare('select sqlite_version()').pluck().get()";

/** Reads the versions. `strapi` is the folder in which it is installed. */
export function readVersions(strapi: string): Record<string, string> {
  const git = (...args: string[]) => output('git', args, root);
  const mariadb = join(process.env.MYSQL_PROGRAMS ?? '/usr/sbin', 'mariadbd');
  return {
    Lectern: attempt(
      () => `${git('describe', '--always', '--abbrev=10', '--dirty')} of ${git('log', '-1', '--format=%cs')}`,
    ),
    Strapi: attempt(() => installedVersion(strapi)),
    Node: process.version,
    SQLite: attempt(() => output(process.execPath, ['-p', sqlite], strapi)),
    PostgreSQL: attempt(() => numberIn(output(join(installedPrograms()!, 'postgres'), ['--version'], '/'))),
    MariaDB: attempt(() => numberIn(output(mariadb, ['--version'], '/'))),
  };
}

function output(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function numberIn(text: string): string {
  return /\d+(\.\d+)+/.exec(text)![0];
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return 'not installed';
  }
}
