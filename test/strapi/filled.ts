/** A Strapi that is filled and exported once, and then started as often as it is needed. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/cli.ts';
import { installedVersion, installStrapi, linkModules, packageOf } from './installed.ts';
import type { Model } from './model/definitions.ts';
import { startDatabase } from './postgres.ts';
import { run, start } from './processes.ts';
import { environment, writeProject } from './project.ts';

export interface Filling {
  /** The export is called so. */
  name: string;
  model: Model;
  /** Fills the Strapi project in the folder that is its first argument; `options` follow. */
  script: string;
  options: string[];
  /** Changes with everything but Strapi that decides on the content. */
  fingerprint: string;
  /** Names the packages of another Strapi than the usual one. */
  packageFile?: string;
  /** More arguments of `strapi export`. */
  exportOptions?: string[];
}

export interface FilledStrapi {
  address: string;
  /** The export of its content. */
  archive: string;
  stop(): Promise<void>;
}

/**
 * Fills and exports a Strapi in the folder, and starts it; what was done before is not done again. Installs Strapi below
 * the folder, unless `installed` is a folder in which it is.
 */
export async function startFilled(
  folder: string,
  filling: Filling,
  refill: boolean,
  installed: string | null = null,
): Promise<FilledStrapi> {
  mkdirSync(folder, { recursive: true });
  if (installed === null) await installStrapi(join(folder, 'strapi'), filling.packageFile);
  linkModules(folder, installed ?? join(folder, 'strapi'));
  writeFileSync(join(folder, 'package.json'), packageOf(folder, filling.packageFile));
  const mark = join(folder, '.filled');
  const fingerprint = `${filling.fingerprint} ${installedVersion(folder)}`;
  const isFilled = !refill && existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint;
  const archive = join(folder, `${filling.name}.tar.gz`);

  if (!isFilled) rmSync(mark, { force: true });
  const database = await startDatabase(folder, !isFilled);
  const port = await freePort();
  writeProject(folder, filling.model, { database: database.port, server: port });
  if (!isFilled) {
    console.log('Filling and exporting Strapi');
    await fill(folder, filling);
    await exportContent(folder, archive, filling.exportOptions);
    writeFileSync(mark, fingerprint);
  }
  const address = `http://127.0.0.1:${port}`;
  const strapi = start(strapiCommand(folder, ['start'], 'strapi.log'));
  await strapi.ready(() => isUp(`${address}/_health`));
  return {
    address,
    archive,
    async stop() {
      await strapi.stop();
      await database.stop();
    },
  };
}

/** Whether a server says of itself that it is. */
export async function isUp(url: string): Promise<boolean> {
  return (await fetch(url)).ok;
}

async function fill(folder: string, { script, options }: Filling): Promise<void> {
  // the child's working folder is Strapi's, which does not know tsx
  const args = ['--import', import.meta.resolve('tsx'), script, folder, ...options];
  await run({ program: process.execPath, args, cwd: folder, log: join(folder, 'fill.log'), environment });
}

/** Writes an export of the Strapi project in a folder. */
export async function exportContent(
  folder: string,
  archive: string,
  options: string[] = [],
  settings: Record<string, string> = {},
): Promise<void> {
  rmSync(archive, { force: true });
  const args = ['export', '--no-encrypt', '--file', archive.replace(/\.tar\.gz$/, ''), ...options];
  const command = strapiCommand(folder, args, 'export.log');
  await run({ ...command, environment: { ...command.environment, ...settings } });
  if (!existsSync(archive)) throw new Error(`strapi export wrote no ${archive}: see ${join(folder, 'export.log')}`);
}

function strapiCommand(folder: string, args: string[], log: string) {
  const program = join(folder, 'node_modules', '@strapi', 'strapi', 'bin', 'strapi.js');
  return { program: process.execPath, args: [program, ...args], cwd: folder, log: join(folder, log), environment };
}
