import type { StateOpener } from '../../load/database/database-state.ts';
import type { LoadedAccess } from '../../load/loaded.ts';
import { readProjectAccess } from '../../load/project/project-content.ts';
import type { ProjectInput } from '../../load/project/project-files.ts';
import type { StrapiProject } from '../../load/project/project-folder.ts';
import type { FollowedDatabase } from '../database/followed-database.ts';
import { InterruptiblePause } from '../pauses.ts';
import type { OnAccess } from '../source-reader.ts';
import { accessFrameOf, frameDifference } from './project-frame.ts';

/** Milliseconds between two looks. */
const lookInterval = 200;
/** A pause lasts at least this many times as long as the look before it, because a look may open a state of the database. */
const pauseShare = 4;

export interface AccessWatchOptions {
  readonly files: ProjectInput;
  readonly database: FollowedDatabase;
  readonly onAccess: OnAccess;
}

/** Reports changes of tokens, secrets and settings of users during a load of everything. */
export class AccessWatch {
  readonly #options: AccessWatchOptions;
  /** Opens states of its own, because the load reads another one. Without commits, none is opened. */
  readonly #states: StateOpener;
  readonly #pause = new InterruptiblePause();
  readonly #looks: Promise<void>;
  #project: StrapiProject;
  #mark: string;
  #access: LoadedAccess;
  #isEnded = false;

  /** `mark` is that of the state in which `access` was read. */
  constructor(project: StrapiProject, mark: string, access: LoadedAccess, options: AccessWatchOptions) {
    this.#project = project;
    this.#mark = mark;
    this.#access = access;
    this.#options = options;
    this.#states = options.database.createOpener();
    options.onAccess(access);
    this.#looks = this.#lookOverAndOver();
  }

  /** Looks once more, ends the watch and returns the latest access. */
  async end(): Promise<LoadedAccess> {
    this.#isEnded = true;
    this.#pause.end();
    await this.#looks;
    await this.#states.close();
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
    const mark = await database.watch.mark();
    if (project === this.#project && mark === this.#mark) return;
    const state = await this.#states.open();
    try {
      const access = await readProjectAccess(state.database, project);
      this.#project = project;
      this.#mark = state.mark;
      if (frameDifference(accessFrameOf(this.#access), accessFrameOf(access)) === null) return;
      this.#access = access;
      onAccess(access);
    } finally {
      await state.close();
    }
  }
}
