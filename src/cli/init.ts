import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Failure } from './report.ts';

/** The snapshot to copy, which is part of the package. */
const starter = fileURLToPath(new URL('../../data/starter', import.meta.url));

/** Writes a small snapshot to a new or empty folder. */
export function init(folder: string): void {
  requireNewFolder(folder, 'lectern init FOLDER');
  cpSync(starter, folder, { recursive: true });
  console.log(`Wrote a small snapshot to ${folder}. Next:

  lectern serve ${folder} --watch      # shows what you change in it
  curl -g 'http://127.0.0.1:1337/api/articles?populate=author'`);
}

/** Throws a Failure if a folder has content. `command` is named with it. */
export function requireNewFolder(folder: string, command: string): void {
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0)) {
    throw new Failure(`${folder} is not empty. Name a new folder: ${command}`);
  }
}
