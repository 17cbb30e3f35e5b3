import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LockError, lockFile } from '../../core/lock-file.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { writeAtomically } from '../../core/write-file.ts';
import { ChangeList } from '../change-list.ts';
import { type Append, checkAppend, isSameState, nameOf } from '../check-append.ts';
import {
  type Head,
  PublicationError,
  type PublicationLog,
  type PublishedChange,
  type PublishedState,
  type ReadLog,
  type Refused,
  type WaitOptions,
} from '../publication.ts';
import { checkFormat, parseJson, storedFormat, toChange, toHead } from '../stored-records.ts';

/** Milliseconds that an append waits for others. */
const lockWait = 5_000;
/** A shared disk may report no changes of other machines, so readers look this often, in milliseconds. */
const pollInterval = 200;

/**
 * A head and a log in a folder: `head.json`, which a rename replaces, and `log/EPOCH-SEQUENCE.json` for each change. An
 * append locks the folder, and has its changes on disk before the head. So a file beyond the head is of an append that was
 * interrupted. Readers leave it out, and the next append replaces it.
 */
export class FolderLog implements PublicationLog {
  readonly #folder: string;
  readonly #appends = new SerialQueue();
  /** The text of the head that was last returned to a reader. */
  #known: string | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder if it is missing. Rejects with a PublicationError. */
  static async open(folder: string): Promise<FolderLog> {
    const log = new FolderLog(folder);
    await mkdir(log.#changes, { recursive: true }).catch((error: Error) => {
      throw new PublicationError(`cannot write in ${folder}: ${error.message}`, { cause: error });
    });
    await log.readHead();
    return log;
  }

  async readHead(): Promise<Head | null> {
    return this.#toHead(await this.#readHeadText());
  }

  async appendIf(
    expected: PublishedState | null,
    head: Head,
    changes?: readonly PublishedChange[],
  ): Promise<Refused | null> {
    const append = checkAppend(expected, head, changes);
    return this.#appends.run(async () => {
      const unlock = await lockFile(join(this.#folder, 'lock'), lockWait).catch((error: Error) => {
        throw error instanceof LockError ? new PublicationError(error.message, { cause: error }) : this.#failed(error);
      });
      try {
        return await this.#append(append);
      } finally {
        await unlock();
      }
    });
  }

  async #append(append: Append): Promise<Refused | null> {
    const { expected, head, changes } = append;
    const text = await this.#readHeadText();
    const before = await this.#reachableHead(this.#toHead(text));
    if (!isSameState(before, expected)) return { head: before };
    try {
      for (const change of changes) await this.#write(this.#pathOf(change), toText(change));
    } catch (error) {
      throw this.#failed(error as Error);
    }
    await this.#write(this.#headPath, toText(head)).catch(async (error: Error) => {
      const present = await this.#readHeadText().catch(() => undefined);
      throw this.#failed(error, present === text ? 'none' : 'unknown');
    });
    // a failure leaves files that no reader needs, which the next change of the image removes
    await this.#trim(append, before).catch(() => {});
    return null;
  }

  /** Returns a head unless the change that leads to it is gone: then no reader can reach it. */
  async #reachableHead(head: Head | null): Promise<Head | null> {
    if (head === null || isSameState(head, head.image)) return head;
    return (await this.#sizeOf(head)) === null ? null : head;
  }

  async #trim({ head, isNewLog }: Append, before: Head | null): Promise<void> {
    const image = isNewLog ? head.image : before!.image;
    if (!isNewLog && isSameState(image, head.image)) return;
    for (const version of await this.#versions()) {
      if (version.epoch === head.epoch && version.sequence > image.sequence && version.sequence <= head.sequence)
        continue;
      await rm(this.#pathOf(version), { force: true });
    }
  }

  async readFrom(after: PublishedState, { wait, signal }: WaitOptions): Promise<ReadLog> {
    const deadline = performance.now() + wait;
    const changed = new FolderChange(this.#folder);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const text = await this.#readHeadText();
        const head = this.#toHead(text);
        const changes = head === null ? [] : await this.#readChanges(after, head);
        const remaining = deadline - performance.now();
        if (changes.length > 0 || text !== this.#known || remaining <= 0) {
          this.#known = text;
          return { head, changes };
        }
        await changed.within(Math.min(remaining, pollInterval), signal);
      }
    } finally {
      changed.close();
    }
  }

  async #readChanges(after: PublishedState, head: Head): Promise<readonly PublishedChange[]> {
    const list = new ChangeList();
    if (head.epoch === after.epoch && head.sequence <= after.sequence) return list.changes;
    let { sequence } = await this.#firstAfter(after, head);
    for (; sequence <= head.sequence; sequence++) {
      const version = { epoch: head.epoch, sequence };
      const size = await this.#sizeOf(version);
      if (size === null || list.isTooMuch(size)) break;
      const text = await this.#read(this.#pathOf(version));
      const change = text === null ? null : readChange(text, version, this.#pathOf(version));
      if (change === null || !list.add(change, size)) break;
    }
    return list.changes;
  }

  /** Returns the version of the first change that there is after a state. */
  async #firstAfter(after: PublishedState, head: Head): Promise<{ readonly sequence: number }> {
    const next = { epoch: head.epoch, sequence: head.epoch === after.epoch ? after.sequence + 1 : 0 };
    if ((await this.#sizeOf(next)) !== null) return next;
    const versions = await this.#versions();
    const present = versions.filter(({ epoch, sequence }) => epoch === next.epoch && sequence >= next.sequence);
    return { sequence: Math.min(...present.map(({ sequence }) => sequence)) };
  }

  get #headPath(): string {
    return join(this.#folder, 'head.json');
  }

  get #changes(): string {
    return join(this.#folder, 'log');
  }

  #pathOf(version: Pick<PublishedState, 'epoch' | 'sequence'>): string {
    return join(this.#changes, `${nameOf(version)}.json`);
  }

  async #versions(): Promise<{ epoch: number; sequence: number }[]> {
    const names = await readdir(this.#changes).catch((error: Error) => {
      throw this.#failed(error);
    });
    const matches = names.map((name) => /^(\d+)-(\d+)\.json$/.exec(name)).filter((match) => match !== null);
    return matches.map(([, epoch, sequence]) => ({ epoch: Number(epoch), sequence: Number(sequence) }));
  }

  async #sizeOf(version: Pick<PublishedState, 'epoch' | 'sequence'>): Promise<number | null> {
    return unlessMissing(stat(this.#pathOf(version)).then(({ size }) => size)).catch((error: Error) => {
      throw this.#failed(error);
    });
  }

  #readHeadText(): Promise<string | null> {
    return this.#read(this.#headPath);
  }

  #read(path: string): Promise<string | null> {
    return unlessMissing(readFile(path, 'utf8')).catch((error: Error) => {
      throw this.#failed(error);
    });
  }

  #write(path: string, text: string): Promise<void> {
    return writeAtomically(path, [Buffer.from(text)]);
  }

  #toHead(text: string | null): Head | null {
    if (text === null) return null;
    const value = parseJson(text, this.#headPath);
    checkFormat((value as { format?: unknown } | null)?.format, this.#headPath);
    return toHead(value, this.#headPath);
  }

  #failed(cause: Error, outcome: 'none' | 'unknown' = 'none'): PublicationError {
    return new PublicationError(`the publication in ${this.#folder} fails: ${cause.message}`, { cause, outcome });
  }
}

function toText(record: object): string {
  return JSON.stringify({ format: storedFormat, ...record });
}

/** Returns the change, or null if the file holds another. */
function readChange(text: string, { epoch, sequence }: { epoch: number; sequence: number }, path: string) {
  try {
    const value = parseJson(text, path);
    checkFormat((value as { format?: unknown } | null)?.format, path);
    const change = toChange(value, path);
    return change.epoch === epoch && change.sequence === sequence ? change : null;
  } catch (error) {
    if (error instanceof PublicationError) return null;
    throw error;
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Waits for changes in a folder. */
class FolderChange {
  readonly #close: () => void;
  #wake: () => void = () => {};
  #isChanged = false;

  constructor(folder: string) {
    try {
      const watcher = watch(folder, () => this.#tell());
      // without a watcher, the reader polls
      watcher.on('error', () => {});
      this.#close = () => watcher.close();
    } catch {
      this.#close = () => {};
    }
  }

  #tell(): void {
    this.#isChanged = true;
    this.#wake();
  }

  /** Resolves at the next change, or at one since the last call, or after some milliseconds. */
  async within(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#isChanged) resolve();
      timer = setTimeout(resolve, milliseconds);
      signal?.addEventListener('abort', this.#wake, { once: true });
    });
    clearTimeout(timer);
    signal?.removeEventListener('abort', this.#wake);
    this.#isChanged = false;
  }

  close(): void {
    this.#close();
  }
}
