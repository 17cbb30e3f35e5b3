import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Lectern as `npm run build` makes it: what is measured is what users run, not the sources. */

export const project = fileURLToPath(new URL('..', import.meta.url));
const ownDist = new URL('../dist/', import.meta.url).href;

export const builtCli = fileURLToPath(new URL('cli.js', ownDist));

/** A module of a built Lectern, by its path. `dist` is the URL of the folder, with a slash at the end. */
export const builtModule = (path: string, dist = ownDist): string => new URL(path, dist).href;

export interface BuiltReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface BuiltContent {
  /** Synchronous, because no caller has a JWT. */
  answer(url: string, options: object): BuiltReply;
  router(): unknown;
}

export async function openBuilt(snapshot: string, settings: object = {}, dist = ownDist): Promise<BuiltContent> {
  const { open } = (await import(builtModule('index.js', dist))) as {
    open(path: string, settings: object): Promise<BuiltContent>;
  };
  return open(snapshot, settings);
}

export const isBuilt = (): boolean => existsSync(builtCli);

/** Runs npm in a folder. Its output goes to stderr, as stdout is for the tables. It ends with this process. */
export async function runNpm(folder: string, ...options: string[]): Promise<void> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(npm, options, { cwd: folder, stdio: ['ignore', 2, 2] });
  const end = () => child.kill();
  process.once('exit', end);
  const [code, signal] = await once(child, 'exit');
  process.off('exit', end);
  if (code !== 0) throw new Error(`"npm ${options.join(' ')}" in ${folder} ended with ${signal ?? code}.`);
}

export function buildProgram(folder = project): Promise<void> {
  return runNpm(folder, 'run', '--silent', 'build');
}
