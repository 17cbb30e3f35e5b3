/** The museum as a real Strapi has filled it on MariaDB, and on MySQL, each with its export. test/strapi/projects makes them. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type RecordedProject, unpackProject } from '../../load/project/recorded-projects.ts';
import { isMysql, type MariadbServer } from './mariadb-server.ts';

/** The export of a recorded database. */
export function exportOf(name: RecordedProject): string {
  return join(folderOf(name), 'export.tar.gz');
}

/** The folder of what was recorded on the kind of server that tests start. */
function folderOf(name: RecordedProject): string {
  return join(import.meta.dirname, 'recorded', isMysql ? `${name}-mysql` : name);
}

/** Makes a database of a server. */
export function restore(name: RecordedProject, server: MariadbServer, database: string = name): void {
  server.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  server.query(gunzipSync(readFileSync(join(folderOf(name), 'data.sql.gz'))).toString(), database);
}

/** Returns a copy of the folder of a recorded project whose database is one of a server. */
export function projectAt(name: RecordedProject, server: MariadbServer, database: string = name): string {
  const folder = unpackProject(name);
  const { host, port, user, password } = server.location;
  const connection = { client: 'mysql', connection: { host, port, user, password, database } };
  writeFileSync(join(folder, 'config', 'database.js'), `module.exports = ${JSON.stringify({ connection })};\n`);
  appendFileSync(join(folder, '.env'), '\nDATABASE_CLIENT=mysql\n');
  return folder;
}
