import { SnapshotError } from '../base/errors.ts';
import { CacheError } from './cache-folder.ts';
import { type Archive, unpack } from './unpack.ts';

/** Whether a file can be served: it stands in the folder, never will, or is still to be unpacked. */
export type FileState = 'there' | 'missing' | 'pending';

/** At most so many missing files are named in a warning. */
const shownNames = 5;

/** An archive whose files are being unpacked while content is served already. */
export class Unpacking {
  /** Where the files are unpacked; null until that is known. */
  folder: string | null = null;
  /** Resolves when no more files will come, with what went wrong, in words. */
  readonly settled: Promise<string[]>;
  readonly #names: ReadonlySet<string>;
  readonly #there = new Set<string>();
  readonly #waiting = new Map<string, Set<(state: FileState) => void>>();
  #isSettled = false;

  constructor(archive: Archive, cache: string | undefined) {
    this.#names = archive.names;
    const listener = {
      started: (folder: string) => void (this.folder = folder),
      unpacked: (name: string) => this.#unpacked(name),
    };
    const run = archive.names.size > 0 ? unpack(archive, cache, listener) : Promise.resolve();
    this.settled = run.then(
      () => this.#settle(missingWarnings(archive.names, this.#there)),
      (error) => this.#settle([failureWarning(error)]),
    );
  }

  /** Waits for a file, for at most so many milliseconds. */
  async state(name: string, milliseconds: number): Promise<FileState> {
    if (this.#there.has(name)) return 'there';
    if (this.#isSettled || !this.#names.has(name)) return 'missing';
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    return new Promise((resolve) => {
      const answer = (state: FileState) => {
        clearTimeout(timer);
        waiting.delete(answer);
        resolve(state);
      };
      const timer = setTimeout(answer, milliseconds, 'pending').unref();
      waiting.add(answer);
    });
  }

  #unpacked(name: string): void {
    this.#there.add(name);
    this.#answer(name, 'there');
  }

  #settle(warnings: string[]): string[] {
    this.#isSettled = true;
    for (const name of [...this.#waiting.keys()]) this.#answer(name, 'missing');
    return warnings;
  }

  #answer(name: string, state: FileState): void {
    for (const answer of this.#waiting.get(name) ?? []) answer(state);
    this.#waiting.delete(name);
  }
}

/** One warning for all files that entries name and that are not there, with the first of their names. */
export function missingWarnings(names: ReadonlySet<string>, there: ReadonlySet<string>): string[] {
  const missing = Array.from(names).filter((name) => !there.has(name));
  if (missing.length === 0) return [];
  if (there.size === 0) {
    return [
      `none of the ${missing.length} uploaded files is in the export (strapi export --exclude files leaves them out): ` +
        'name the folder or the address that has them with --uploads, or the Strapi that serves them with --upstream',
    ];
  }
  const shown = missing.slice(0, shownNames).join(', ');
  const more = missing.length > shownNames ? ', …' : '';
  return [`${missing.length} of ${names.size} uploaded files are not in the export: ${shown}${more}`];
}

function failureWarning(error: unknown): string {
  const isForeseen = error instanceof CacheError || error instanceof SnapshotError;
  const reason =
    isForeseen || (error instanceof Error && 'syscall' in error) ? (error as Error).message : String(error);
  return `the uploaded files cannot all be unpacked, and those that are missing are not served: ${reason}`;
}
