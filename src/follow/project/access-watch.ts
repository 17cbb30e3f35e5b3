import type { WatchedDatabase } from '../../load/database/database-state.ts';
import type { LoadedAccess } from '../../load/loaded.ts';
import { readProjectAccess } from '../../load/project/project-content.ts';
import { ProjectCopies, type ProjectFiles } from '../../load/project/project-copy.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import { InterruptiblePause } from '../pauses.ts';
import type { OnAccess } from '../source-reader.ts';
import { accessFrameOf, frameDifference } from './project-frame.ts';

/** Milliseconds between two looks. */
const lookInterval = 200;
/** A pause lasts at least this many times as long as the look before it, because a look may copy the database. */
const pauseShare = 4;

export interface AccessWatchOptions {
  readonly files: ProjectFiles;
  readonly database: WatchedDatabase;
  readonly onAccess: OnAccess;
}

/** Reports changes of tokens, secrets and settings of users during a load of everything. */
export class AccessWatch {
  readonly #options: AccessWatchOptions;
  /** A copy of its own, because the load reads another one. Without commits, none is made. */
  readonly #copies = new ProjectCopies();
  readonly #pause = new InterruptiblePause();
  readonly #looks: Promise<void>;
  #project: StrapiProject;
  #state: string;
  #access: LoadedAccess;
  #isEnded = false;

  /** `state` is the state of the database in which `access` was read. */
  constructor(project: StrapiProject, state: string, access: LoadedAccess, options: AccessWatchOptions) {
    this.#project = project;
    this.#state = state;
    this.#access = access;
    this.#options = options;
    options.onAccess(access);
    this.#looks = this.#lookOverAndOver();
  }

  /** Looks once more, ends the watch and returns the latest access. */
  async end(): Promise<LoadedAccess> {
    this.#isEnded = true;
    this.#pause.end();
    await this.#looks;
    await this.#copies.close();
    return this.#access;
  }

  async #lookOverAndOver(): Promise<void> {
    let cost = 0;
    for (let isLast = false; !isLast; ) {
      if (!this.#isEnded) await this.#pause.wait(Math.max(lookInterval, cost * pauseShare));
      isLast = this.#isEnded;
      const started = performance.now();
      // reads after the load report failures
      await this.#look().catch(() => {});
      cost = performance.now() - started;
    }
  }

  async #look(): Promise<void> {
    const { files, database, onAccess } = this.#options;
    const project = await files.read();
    const state = await database.state(project.databaseFile);
    if (project === this.#project && state === this.#state) return;
    const copy = await this.#copies.open(project);
    try {
      const access = readProjectAccess(copy.database, project);
      this.#project = project;
      this.#state = copy.state;
      if (frameDifference(accessFrameOf(this.#access), accessFrameOf(access)) === null) return;
      this.#access = access;
      onAccess(access);
    } finally {
      copy.close();
    }
  }
}
