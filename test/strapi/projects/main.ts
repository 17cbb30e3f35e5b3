/**
 * Makes the projects of test/load/project/: three Strapi projects on SQLite, each with its database and its export.
 *
 *     npx tsx test/strapi/projects/main.ts --strapi DIR [--folder DIR] [--only NAME] [--database postgres|mariadb]
 *
 * With `--database`, makes the same content on another database: dump and export in test/database/postgres/ or mysql/. The
 * files of the projects are those of SQLite. `mariadb` is the server whose programs MYSQL_PROGRAMS names, also MySQL.
 *
 * `--strapi` is a folder whose node_modules hold Strapi with better-sqlite3, compiled. Nothing is written there.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { isMysql, MysqlServer } from '../../database/mysql/mysql-server.ts';
import { exportContent } from '../filled.ts';
import { linkModules } from '../installed.ts';
import type { Model } from '../model/definitions.ts';
import { findPrograms, startDatabase } from '../postgres.ts';
import { run } from '../processes.ts';
import { environment, writeProject } from '../project.ts';
import { configurationFiles, writeConfiguration } from './configuration.ts';
import { modelsOfProjects } from './models.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const repository = join(here, '..', '..', '..');

const { values } = parseArgs({
  options: {
    strapi: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-projects') },
    only: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
  },
});
if (!values.strapi || !existsSync(join(values.strapi, 'node_modules', 'better-sqlite3', 'build'))) {
  console.error('--strapi takes a folder whose node_modules hold Strapi and better-sqlite3, compiled');
  process.exit(2);
}

for (const [name, model] of Object.entries(modelsOfProjects())) {
  if (values.only !== undefined && values.only !== name) continue;
  const strapi = resolve(values.strapi);
  if (values.database === 'postgres') await makeOnPostgres(name, model, strapi);
  else if (values.database === 'mariadb') await makeOnMariadb(name, model, strapi);
  else await makeProject(name, model, strapi);
}

/** Writes a project in an empty folder. */
function writeEmpty(name: string, model: Model, strapi: string): string {
  const folder = join(resolve(values.folder), name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  linkModules(folder, strapi);
  writeProject(folder, model, { database: 0, server: 0 });
  writeConfiguration(folder, name);
  return folder;
}

/** Fills a project and exports it. Returns the path of the export. */
async function fillProject(folder: string, settings: Record<string, string> = {}): Promise<string> {
  const fill = ['--import', import.meta.resolve('tsx'), join(here, 'fill.ts'), folder, '1'];
  const log = join(folder, 'fill.log');
  await run({ program: process.execPath, args: fill, cwd: folder, log, environment: { ...environment, ...settings } });
  const exported = join(folder, 'export.tar.gz');
  await exportContent(folder, exported, [], settings);
  return exported;
}

async function makeOnPostgres(name: string, model: Model, strapi: string): Promise<void> {
  const folder = writeEmpty(name, model, strapi);
  const server = await startDatabase(folder, true);
  const url = `postgres://strapi@127.0.0.1:${server.port}/postgres`;
  try {
    const exported = await fillProject(folder, { DATABASE_CLIENT: 'postgres', DATABASE_URL: url });
    const dump = join(folder, 'data.sql');
    const args = ['--no-owner', '--no-privileges', '--no-comments', `--file=${dump}`, url];
    await run({ program: join(await findPrograms(folder), 'pg_dump'), args, cwd: '/', log: join(folder, 'dump.log') });
    keep('postgres', name, dump, exported);
  } finally {
    await server.stop();
  }
}

async function makeOnMariadb(name: string, model: Model, strapi: string): Promise<void> {
  const folder = writeEmpty(name, model, strapi);
  const server = await MysqlServer.start(join(folder, 'mariadb'));
  try {
    const exported = await fillProject(folder, server.variables);
    const dump = join(folder, 'data.sql');
    writeFileSync(dump, server.dump());
    keep('mysql', isMysql ? `${name}-mysql` : name, dump, exported);
  } finally {
    await server.stop();
  }
}

/** Keeps a dump of a database with its export among the recorded databases of a client. */
function keep(client: string, name: string, dump: string, exported: string): void {
  const target = join(repository, 'test', 'database', client, 'recorded', name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'data.sql.gz'), gzipSync(readFileSync(dump), { level: 9 }));
  cpSync(exported, join(target, 'export.tar.gz'));
  const sizes = [join(target, 'data.sql.gz'), join(target, 'export.tar.gz')].map((file) => statSync(file).size);
  console.log(`${target}: database ${sizes[0]} bytes, export ${sizes[1]} bytes`);
}

async function makeProject(name: string, model: Model, strapi: string): Promise<void> {
  const folder = writeEmpty(name, model, strapi);
  await fillProject(folder);
  const database = join(folder, '.tmp', 'data.db');
  const script = "const d = require('better-sqlite3')(process.argv[1]); d.exec('vacuum'); d.close();";
  const vacuum = ['-e', script, database];
  await run({ program: process.execPath, args: vacuum, cwd: folder, log: join(folder, 'vacuum.log') });
  const target = join(repository, 'test', 'load', 'project', name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const part of [...configurationFiles, '.env', 'package.json', 'src/components', 'export.tar.gz']) {
    if (!existsSync(join(folder, part))) continue;
    mkdirSync(dirname(join(target, part)), { recursive: true });
    cpSync(join(folder, part), join(target, part), { recursive: true });
  }
  writeFileSync(join(target, 'data.db.gz'), gzipSync(readFileSync(database), { level: 9 }));
  const sizes = [join(target, 'data.db.gz'), join(target, 'export.tar.gz')].map((file) => statSync(file).size);
  console.log(`${target}: database ${sizes[0]} bytes, export ${sizes[1]} bytes`);
}
