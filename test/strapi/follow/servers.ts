/** The Strapi that is edited, and the Lectern that follows it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/cli.ts';
import { isUp } from '../filled.ts';
import { type Running, start } from '../processes.ts';
import { environment } from '../project.ts';
import type { FollowedSource } from './sources.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface Server extends Running {
  readonly address: string;
}

export interface Follower extends Server {
  /** The address of its admin port. */
  readonly admin: string;
}

/** Starts the Strapi of a project at a port. `more` are variables of its environment. */
export async function startStrapi(folder: string, port: number, more: Record<string, string>): Promise<Server> {
  const program = join(folder, 'node_modules', '@strapi', 'strapi', 'bin', 'strapi.js');
  const server = start({
    program: process.execPath,
    args: [program, 'start'],
    cwd: folder,
    log: join(folder, 'strapi.log'),
    environment: { ...environment, ...more, PORT: String(port), HOST: '127.0.0.1' },
  });
  const address = `http://127.0.0.1:${port}`;
  await server.ready(() => isUp(`${address}/_health`));
  return { ...server, address };
}

/** Starts a Lectern that serves a source, and follows it or not. `name` is that of its log and configuration. */
export async function startLectern(
  folder: string,
  name: string,
  { location, settings, environment }: FollowedSource,
  { adminPort, follows }: { readonly adminPort: number; readonly follows: boolean },
): Promise<Follower> {
  const port = await freePort();
  const config = join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ port, adminPort, ...settings }, null, 2));
  const flag = follows ? '--follow' : '--no-follow';
  const server = start({
    program: process.execPath,
    args: [join(repository, 'dist', 'cli.js'), 'serve', location, flag, '--config', config],
    cwd: folder,
    log: join(folder, `${name}.log`),
    environment,
  });
  const admin = `http://127.0.0.1:${adminPort}`;
  await server.ready(() => isUp(`${admin}/_ready`));
  return { ...server, address: `http://127.0.0.1:${port}`, admin };
}
