/** The Strapi that is edited, and the Lectern that follows it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/cli.ts';
import { isUp } from '../filled.ts';
import { type Running, start } from '../processes.ts';
import { environment } from '../project.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface Server extends Running {
  readonly address: string;
}

/** Starts the Strapi of a project at a port. */
export async function startStrapi(folder: string, port: number): Promise<Server> {
  const program = join(folder, 'node_modules', '@strapi', 'strapi', 'bin', 'strapi.js');
  const server = start({
    program: process.execPath,
    args: [program, 'start'],
    cwd: folder,
    log: join(folder, 'strapi.log'),
    environment: { ...environment, PORT: String(port), HOST: '127.0.0.1' },
  });
  const address = `http://127.0.0.1:${port}`;
  await server.ready(() => isUp(`${address}/_health`));
  return { ...server, address };
}

/** Starts a Lectern that serves what `source` names. `name` is that of its log and configuration. */
export async function startLectern(folder: string, name: string, source: readonly string[]): Promise<Server> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const config = join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ port }, null, 2));
  const server = start({
    program: process.execPath,
    args: [join(repository, 'dist', 'cli.js'), 'serve', ...source, '--config', config],
    cwd: folder,
    log: join(folder, `${name}.log`),
  });
  const address = `http://127.0.0.1:${port}`;
  await server.ready(() => isUp(`${address}/_ready`));
  return { ...server, address };
}
