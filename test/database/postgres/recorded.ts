/** Databases that a real Strapi has filled on PostgreSQL, each with its export. test/strapi/projects makes them. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type RecordedProject, unpackProject } from '../../load/project/recorded-projects.ts';
import { type PostgresServer, programs } from './postgres-server.ts';

export function recordedDatabases(): RecordedProject[] {
  return readdirSync(join(import.meta.dirname, 'recorded')) as RecordedProject[];
}

/** The export of a recorded database. */
export function exportOf(name: RecordedProject): string {
  return join(import.meta.dirname, 'recorded', name, 'export.tar.gz');
}

/** Fills an empty database of a server. */
export function restore(name: RecordedProject, { port }: PostgresServer, database = 'postgres'): void {
  const recorded = gunzipSync(readFileSync(join(import.meta.dirname, 'recorded', name, 'data.sql.gz'))).toString();
  // older versions of psql do not know these commands
  const dump = recorded.replace(/^\\(un)?restrict .*$/gm, '');
  const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'strapi', '-v', 'ON_ERROR_STOP=1', '-q', database];
  execFileSync(join(programs, 'psql'), args, { input: dump, stdio: ['pipe', 'ignore', 'inherit'] });
}

/** Returns a copy of the folder of a recorded project whose database is at an address. */
export function projectAt(name: RecordedProject, url: string, variables = ''): string {
  const folder = unpackProject(name);
  appendFileSync(join(folder, '.env'), `\nDATABASE_CLIENT=postgres\nDATABASE_URL=${url}\n${variables}`);
  return folder;
}
