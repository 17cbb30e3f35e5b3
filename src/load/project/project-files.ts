import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readStrapiProject, type StrapiProject } from './project-folder.ts';

/** Milliseconds between two looks at the files. */
const lookInterval = 5000;
/** Milliseconds after which the files are read in any case: code of the configuration may import files from elsewhere. */
const readInterval = 60_000;

/** What says how a project is run, relative to its folder. */
const folders = ['config', 'dist/config', 'src/components', 'dist/src/components'];
const files = ['package.json', 'tsconfig.json', 'node_modules/@strapi/strapi/package.json'];

/** Reads the files of a project over and over. Takes little work while they stay as they are. */
export class ProjectFiles {
  readonly #folder: string;
  #project: StrapiProject | null = null;
  /** The files and folders when they were read last. */
  #paths: string[] = [];
  #signature = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Returns what the files say, some seconds ago at most, and the same object until they say something else. Rejects as
   * `readStrapiProject` does; the next call reads them again.
   */
  async read(): Promise<StrapiProject> {
    const now = performance.now();
    if (this.#project && now - this.#lookedAt < lookInterval) return this.#project;
    const isSame = signatureOf(this.#paths) === this.#signature;
    if (!this.#project || !isSame || now - this.#readAt >= readInterval) {
      this.#paths = pathsOf(this.#folder);
      const signature = signatureOf(this.#paths);
      const project = await readStrapiProject(this.#folder);
      if (!isDeepStrictEqual(project, this.#project)) this.#project = project;
      this.#signature = signature;
      this.#readAt = now;
    }
    this.#lookedAt = now;
    return this.#project!;
  }

  /** The next call of `read` looks at the files. */
  lookAgain(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}

/** Returns the files of a project, also those that are missing, and the folders, whose times say what comes and goes. */
function pathsOf(project: string): string[] {
  const environment = resolve(project, process.env.ENV_PATH ?? '.env');
  const roots = folders.map((folder) => join(project, folder));
  return [environment, ...files.map((file) => join(project, file)), ...roots, ...roots.flatMap(pathsIn)];
}

function pathsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

/** Returns a text that differs when something was written or replaced, or came or went. */
function signatureOf(paths: readonly string[]): string {
  return paths.map((path) => `${path} ${timesOf(path)}`).join('\n');
}

/** Programs can set the time of a change, but not that of the inode. */
function timesOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : 'missing';
}
