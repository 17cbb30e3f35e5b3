import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { npm } from './packages.ts';

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
  /** Without a JWT the reply is there at once. */
  answer(url: string, options: object): BuiltReply;
  router(): unknown;
}

export async function openBuilt(snapshot: string, settings: object = {}, dist = ownDist): Promise<BuiltContent> {
  const { open } = (await import(builtModule('index.js', dist))) as {
    open(path: string, settings: object): Promise<BuiltContent>;
  };
  return open(snapshot, settings);
}

export function buildProgram(folder = project): void {
  // stdout is for the tables
  execFileSync(npm, ['run', '--silent', 'build'], { cwd: folder, stdio: ['ignore', 2, 2] });
}

export const isBuilt = (): boolean => existsSync(builtCli);
