import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SnapshotError } from '../../core/errors.ts';
import type { DatabaseLocation } from '../database/location.ts';
import { exportsSomething } from './configuration.ts';
import { readStrapiProject, type StrapiProject } from './project-folder.ts';

/** Milliseconds between two looks at the files. */
const lookInterval = 5000;
/** Milliseconds after which the files are read in any case: code of the configuration may import files from elsewhere. */
const readInterval = 60_000;

/** Attempts to read the files while none of them is written. */
const readAttempts = 3;

/** What says how a project is run, relative to its folder. */
const folders = ['config', 'dist/config', 'src/components', 'dist/src/components'];
const files = ['package.json', 'tsconfig.json', 'node_modules/@strapi/strapi/package.json'];

/** What a project is, read over and over. */
export interface ProjectInput {
  /** Names the project in messages. */
  readonly name: string;
  /** Returns the same object until the project differs. Rejects with a SnapshotError. Cheap while nothing changes. */
  read(): Promise<StrapiProject>;
  /** Reads the project as it is now, whatever `read` returned. */
  readNow(): Promise<StrapiProject>;
  /** The next call of `read` looks whether the project has changed. */
  lookAgain(): void;
}

/** Reads the files of a project over and over. Takes little work while they stay as they are. */
export class ProjectFiles implements ProjectInput {
  readonly #folder: string;
  readonly #database: DatabaseLocation | undefined;
  #project: StrapiProject | null = null;
  /** The files and folders when they were read last. */
  #paths: string[] = [];
  #signature = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `database` replaces the database that the configuration names. */
  constructor(folder: string, database?: DatabaseLocation) {
    this.#folder = folder;
    this.#database = database;
  }

  get name(): string {
    return this.#folder;
  }

  readNow(): Promise<StrapiProject> {
    return readStrapiProject(this.#folder, process.env, this.#database);
  }

  /**
   * Returns what the files say, some seconds ago at most, and the same object until they say something else. Rejects as
   * `readStrapiProject` does, and if a configuration file is gone or empty since the last read, because private attributes
   * would be published while it is written again. The next call reads them again.
   */
  async read(): Promise<StrapiProject> {
    const now = performance.now();
    if (this.#project && now - this.#lookedAt < lookInterval) return this.#project;
    const isSame = signatureOf(this.#paths) === this.#signature;
    if (!this.#project || !isSame || now - this.#readAt >= readInterval) {
      const { project, paths, signature } = await this.#readUnchanged();
      this.#checkConfigurations(project);
      this.#paths = paths;
      if (!isDeepStrictEqual(project, this.#project)) this.#project = project;
      this.#signature = signature;
      this.#readAt = now;
    }
    this.#lookedAt = now;
    return this.#project!;
  }

  /** Reads the files at a time when none of them is written. */
  async #readUnchanged(): Promise<{ project: StrapiProject; paths: string[]; signature: string }> {
    for (let attempt = 0; attempt < readAttempts; attempt++) {
      const paths = pathsOf(this.#folder);
      const signature = signatureOf(paths);
      const project = await this.readNow();
      if (signatureOf(paths) === signature) return { project, paths, signature };
    }
    throw new SnapshotError([`${this.#folder}: the files of the project change while they are read`]);
  }

  #checkConfigurations({ configurations }: StrapiProject): void {
    const before = this.#project?.configurations ?? [];
    const missing = before.filter((place) => !configurations.includes(place));
    const gone = missing.filter((place) => !exportsSomething(this.#folder, place));
    if (gone.length === 0) return;
    throw new SnapshotError(
      gone.map((place) => `${join(this.#folder, place)} is gone or exports nothing. If that is so, restart Lectern`),
    );
  }

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
