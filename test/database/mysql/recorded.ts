/** The museum as a real Strapi has filled it on MariaDB, and on MySQL, each with its export. test/strapi/projects makes them. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type RecordedProject, unpackProject } from '../../load/project/recorded-projects.ts';
import { isMysql, type MysqlServer } from './mysql-server.ts';

/** The export of a recorded database. */
export function exportOf(name: RecordedProject): string {
  return join(folderOf(name), 'export.tar.gz');
}

/** The folder of what was recorded on the kind of server that tests start. */
function folderOf(name: RecordedProject): string {
  return join(import.meta.dirname, 'recorded', isMysql ? `${name}-mysql` : name);
}

/** The collations with which Strapi's answers are recorded on MariaDB, and on MySQL. The first one is that of the dump. */
export const recordedCollations = isMysql
  ? (['utf8mb4_0900_ai_ci'] as const)
  : (['utf8mb4_general_ci', 'utf8mb4_unicode_ci', 'utf8mb4_uca1400_nopad_ai_ci'] as const);

/** Makes a database of a server: with the collation of the dump, or with another one. */
export function restore(name: RecordedProject, server: MysqlServer, database: string = name, collation?: string): void {
  const dump = gunzipSync(readFileSync(join(folderOf(name), 'data.sql.gz'))).toString();
  server.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  server.query(collation === undefined ? dump : dump.replaceAll(recordedCollations[0], collation), database);
}

/** Returns a copy of the folder of a recorded project whose database is one of a server. */
export function projectAt(name: RecordedProject, server: MysqlServer, database: string = name): string {
  const folder = unpackProject(name);
  configure(folder, server, database);
  return folder;
}

/** Lets a project read a database of a server. */
export function configure(folder: string, server: MysqlServer, database: string): void {
  const { host, port, user, password } = server.location;
  const connection = { client: 'mysql', connection: { host, port, user, password, database } };
  writeFileSync(join(folder, 'config', 'database.js'), `module.exports = ${JSON.stringify({ connection })};\n`);
  appendFileSync(join(folder, '.env'), '\nDATABASE_CLIENT=mysql\n');
}
