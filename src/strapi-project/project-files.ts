import { readdirSync, type Stats, statSync } from 'node:fs';
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
    const signature = signatureOf(this.#folder);
    if (!this.#project || signature !== this.#signature || now - this.#readAt >= readInterval) {
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

/** Returns a text that differs when one of the files was written, replaced, added or removed. */
function signatureOf(project: string): string {
  const found = folders.flatMap((folder) => filesIn(join(project, folder)));
  const paths = [
    resolve(project, process.env.ENV_PATH ?? '.env'),
    ...files.map((file) => join(project, file)),
    ...found,
  ];
  return paths.map((path) => `${path} ${stateOf(path)}`).join('\n');
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  } catch (error) {
    return ifMissing(error, []);
  }
}

/** Programs can set the time of a change, but not that of the inode. */
function stateOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs }: Stats = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return ifMissing(error, 'missing');
  }
}

function ifMissing<Value>(error: unknown, value: Value): Value {
  if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return value;
  throw error;
}
