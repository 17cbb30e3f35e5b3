/** Fills and exports Strapi, and starts it and Lectern beside each other. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lecternConfig } from './access.ts';
import { startDatabase } from './postgres.ts';
import { freePort, type Running, run, start } from './processes.ts';
import { environment, installStrapi, writeProject } from './project.ts';

export interface Servers {
  strapi: string;
  lectern: string;
  /** The export that Lectern serves. */
  archive: string;
  stop(): Promise<void>;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const repository = join(here, '..', '..');

/** Content is always filled from this seed: that of the queries may change without filling anew. */
const fillSeed = '1';

export async function startServers(folder: string, refill: boolean): Promise<Servers> {
  await installStrapi(folder);
  const mark = join(folder, '.filled');
  const wanted = fingerprint();
  const isFilled = !refill && existsSync(mark) && readFileSync(mark, 'utf8') === wanted;
  const archive = join(folder, 'museum.tar.gz');

  if (!isFilled) rmSync(mark, { force: true });
  const database = await startDatabase(folder, !isFilled);
  const port = await freePort();
  writeProject(folder, { database: database.port, server: port });
  if (!isFilled) {
    console.log('Filling and exporting Strapi');
    await fill(folder);
    await exportContent(folder, archive);
    writeFileSync(mark, wanted);
  }
  const strapi = start(strapiCommand(folder, ['start'], 'strapi.log'));
  await strapi.ready(() => isUp(`http://127.0.0.1:${port}`));
  const lectern = await startLectern(folder, archive);
  return {
    strapi: `http://127.0.0.1:${port}`,
    lectern: lectern.address,
    archive,
    async stop() {
      await Promise.all([strapi.stop(), lectern.stop()]);
      await database.stop();
    },
  };
}

/** Changes with everything that decides on the content: the model, what fills it, and Strapi's version. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const folders = ['model', 'fill'].flatMap((name) => readdirSync(join(here, name)).map((file) => join(name, file)));
  const files = [...folders, 'fill.ts', 'access.ts', 'project.ts', 'random.ts', 'project/package.json'];
  for (const file of files.sort()) hash.update(readFileSync(join(here, file)));
  return hash.digest('hex');
}

async function fill(folder: string): Promise<void> {
  // the child's working folder is Strapi's, which does not know tsx
  const args = ['--import', import.meta.resolve('tsx'), join(here, 'fill.ts'), folder, fillSeed];
  await run({ program: process.execPath, args, cwd: folder, log: join(folder, 'fill.log'), environment });
}

async function exportContent(folder: string, archive: string): Promise<void> {
  rmSync(archive, { force: true });
  const args = ['export', '--no-encrypt', '--file', archive.replace(/\.tar\.gz$/, '')];
  await run(strapiCommand(folder, args, 'export.log'));
  if (!existsSync(archive)) throw new Error(`strapi export wrote no ${archive}: see ${join(folder, 'export.log')}`);
}

function strapiCommand(folder: string, args: string[], log: string) {
  const program = join(folder, 'node_modules', '@strapi', 'strapi', 'bin', 'strapi.js');
  return { program: process.execPath, args: [program, ...args], cwd: folder, log: join(folder, log), environment };
}

async function startLectern(folder: string, archive: string): Promise<Running & { address: string }> {
  const port = await freePort();
  const config = join(folder, 'lectern.json');
  writeFileSync(config, JSON.stringify(lecternConfig(), null, 2));
  const args = [join(repository, 'dist', 'cli.js'), 'serve', archive, '--port', String(port), '--config', config];
  const server = start({ program: process.execPath, args, cwd: folder, log: join(folder, 'lectern.log') });
  const address = `http://127.0.0.1:${port}`;
  await server.ready(() => isUp(address));
  return { ...server, address };
}

async function isUp(address: string): Promise<boolean> {
  return (await fetch(`${address}/_health`)).status < 500;
}
