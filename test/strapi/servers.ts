/** The museum: starts Strapi filled with it, and Lectern with Strapi's export, beside each other. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/cli.ts';
import { lecternConfig } from './access.ts';
import { type Filling, isUp, startFilled } from './filled.ts';
import { fingerprintOf } from './fingerprint.ts';
import { components } from './model/components.ts';
import { contentTypes } from './model/content-types.ts';
import { type Running, start } from './processes.ts';

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

/** `installed` is a folder in which Strapi is installed, or null to install it. */
export async function startServers(folder: string, refill: boolean, installed: string | null): Promise<Servers> {
  const strapi = await startFilled(folder, museum(), refill, installed);
  const lectern = await startLectern(folder, strapi.archive);
  return {
    strapi: strapi.address,
    lectern: lectern.address,
    archive: strapi.archive,
    async stop() {
      await Promise.all([strapi.stop(), lectern.stop()]);
    },
  };
}

/** Its fingerprint is of the model and of what fills it. */
function museum(): Filling {
  const folders = ['model', 'fill'].flatMap((name) => readdirSync(join(here, name)).map((file) => join(name, file)));
  const files = [...folders, 'fill.ts', 'access.ts', 'project.ts', 'random.ts'];
  return {
    name: 'museum',
    model: { contentTypes, components },
    script: join(here, 'fill.ts'),
    options: [fillSeed],
    fingerprint: fingerprintOf(files.sort().map((file) => join(here, file))),
  };
}

async function startLectern(folder: string, archive: string): Promise<Running & { address: string }> {
  const port = await freePort();
  const config = join(folder, 'lectern.json');
  writeFileSync(config, JSON.stringify(lecternConfig(), null, 2));
  const args = [join(repository, 'dist', 'cli.js'), 'serve', archive, '--port', String(port), '--config', config];
  const server = start({ program: process.execPath, args, cwd: folder, log: join(folder, 'lectern.log') });
  const address = `http://127.0.0.1:${port}`;
  await server.ready(() => isUp(`${address}/_ready`));
  return { ...server, address };
}
