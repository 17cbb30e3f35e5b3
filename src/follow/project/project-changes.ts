import { messageOf } from '../../core/errors.ts';
import type { ProjectInput } from '../../load/project/project-files.ts';
import { followDatabase } from '../database/follow-database.ts';
import { InterruptiblePause } from '../pauses.ts';

/** Milliseconds between two looks at a project that could not be read. */
const lookInterval = 1000;

/** Watches a project that could not be read. */
export class ProjectChanges {
  readonly #input: ProjectInput;
  readonly #pause = new InterruptiblePause();
  /** The state at the last look; null after a successful read. Kept over failed reads, so that no change is missed. */
  #state: string | null = null;
  #call = 0;

  constructor(input: ProjectInput) {
    this.#input = input;
  }

  /** Resolves to true when a file has changed, or to false at the call of `end`. */
  async next(): Promise<boolean> {
    const call = ++this.#call;
    const before = this.#state ?? (await stateOf(this.#input));
    while (call === this.#call) {
      this.#state = await stateOf(this.#input);
      if (this.#state !== before) return call === this.#call;
      await this.#pause.wait(lookInterval);
    }
    return false;
  }

  end(): void {
    this.#call++;
    this.#pause.end();
  }

  /** The project was read. */
  read(): void {
    this.#state = null;
  }
}

/** Returns a text that identifies the state of a project's files, or the reason why they cannot be read. */
async function stateOf(input: ProjectInput): Promise<string> {
  try {
    const project = await input.readNow();
    const { watch } = followDatabase(project.database, () => {});
    try {
      return JSON.stringify([project, await watch.mark().catch(messageOf)]);
    } finally {
      await watch.close();
    }
  } catch (error) {
    return messageOf(error);
  }
}
