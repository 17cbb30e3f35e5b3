import type { Random } from '../../bench/random.ts';
import type { FileLayer, JournalFile } from '../../src/changes/journal/file-layer.ts';

export const folder = '/disk';

/**
 * What happens at a call. `EIO` and `ENOSPC` fail it, after a part of a write. `done` fails it after it was done. `short`
 * writes a part and reports that. `off` switches the machine off, and `killed` ends the process, which loses nothing on
 * the disk, each before or after the call.
 */
export const faults = [
  'EIO',
  'ENOSPC',
  'done',
  'short',
  'off before',
  'off after',
  'killed before',
  'killed after',
] as const;
export type Fault = (typeof faults)[number];

type Change = { position: number; bytes: Uint8Array } | { size: number };
type Names = Map<string, Inode>;
/** Calls `perform`; with a fault, `fail` is what is done before an error, and `cutShort` what is done instead. */
type Call = <Result>(perform: () => Result, fail?: () => void, cutShort?: () => Result) => Promise<Result>;

/** A file: what programs see, what is on disk, and the changes between them that are not lost yet. */
interface Inode {
  seen: Buffer;
  durable: Buffer;
  pending: Change[];
}

/** Returns the content after changes, in a buffer of its own. */
function apply(content: Buffer, changes: readonly Change[]): Buffer {
  if (changes.length === 0) return content;
  const ends = changes.map((change) => ('size' in change ? 0 : change.position + change.bytes.length));
  const changed = Buffer.alloc(Math.max(content.length, ...ends));
  changed.set(content);
  let { length } = content;
  for (const [i, change] of changes.entries()) {
    if ('size' in change) {
      changed.fill(0, change.size, length);
      length = Math.min(length, change.size);
    } else {
      changed.set(change.bytes, change.position);
      length = Math.max(length, ends[i]);
    }
  }
  return changed.subarray(0, length);
}

/**
 * A disk in memory with one folder. After a crash, it has what was synced and a random part of what was not: bytes,
 * truncations and names, each for itself. A failed sync of a file loses a random part, which programs still see and later
 * syncs do not write. A failed sync of the folder loses nothing.
 */
export class SimulatedDisk {
  /** What happens at which call, counted from 0. */
  readonly faults = new Map<number, Fault>();
  calls = 0;
  /** Set while no call succeeds, until `restart`. */
  stoppedBy: 'off' | 'killed' | null = null;
  readonly #random: Random;
  readonly #inodes = new Set<Inode>();
  #names: Names = new Map();
  #durableNames: Names = new Map();
  #pendingNames: ((names: Names) => void)[] = [];
  #isLocked = false;
  #boot = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get names(): string[] {
    return [...this.#names.keys()];
  }

  read(name: string): string {
    return this.bytes(name).toString();
  }

  bytes(name: string): Buffer {
    return this.#names.get(name)!.seen;
  }

  /** Starts the process again, after a loss of power also the machine. */
  restart(): void {
    if (this.stoppedBy === 'off') this.#losePending();
    this.stoppedBy = null;
    this.#isLocked = false;
    this.#boot++;
  }

  #losePending(): void {
    const survives = this.#chance();
    for (const inode of this.#inodes) {
      this.#save(inode, survives);
      inode.seen = inode.durable;
    }
    for (const change of this.#pendingNames.splice(0)) if (survives()) change(this.#durableNames);
    this.#names = new Map(this.#durableNames);
  }

  /** Returns a random decision: always no, always yes, or something between. */
  #chance(): () => boolean {
    const share = this.#random.pick([0, 0.5, 0.9, 1]);
    return () => this.#random.next() < share;
  }

  /** Puts those pieces of the pending changes on disk that survive. The others are lost. */
  #save(inode: Inode, survives: () => boolean): void {
    const pieces = inode.pending.splice(0).flatMap((each) => this.#pieces(each));
    inode.durable = apply(inode.durable, pieces.filter(survives));
  }

  /** The file system as a process sees it until the next crash. */
  get files(): FileLayer {
    const boot = this.#boot;
    const call: Call = (perform, fail, cutShort) => this.#call(boot, perform, fail, cutShort);
    const nameOf = (path: string) => path.slice(folder.length + 1);
    return {
      open: (path, flags) =>
        call(() => (path === folder ? this.#openFolder(call) : this.#open(nameOf(path), flags, call))),
      readdir: () => call(() => this.names),
      rename: (from, to) =>
        call(() => {
          const inode = this.#names.get(nameOf(from))!;
          this.#changeNames((names) => {
            names.delete(nameOf(from));
            names.set(nameOf(to), inode);
          });
        }),
      rm: (path) => call(() => this.#changeNames((names) => names.delete(nameOf(path)))),
      lock: async () => {
        if (this.#isLocked) throw new Error('locked');
        this.#isLocked = true;
        return async () => {
          if (boot === this.#boot) this.#isLocked = false;
        };
      },
    };
  }

  async #call<Result>(
    boot: number,
    perform: () => Result,
    fail: () => void = () => {},
    cutShort = perform,
  ): Promise<Result> {
    // lets other calls come between
    await null;
    if (this.stoppedBy || boot !== this.#boot) throw new Error('the process has ended');
    const fault = this.faults.get(this.calls++);
    if (fault === undefined) return perform();
    if (fault === 'short') return cutShort();
    if (fault === 'done' || fault.endsWith('after')) perform();
    if (fault === 'EIO' || fault === 'ENOSPC') fail();
    if (fault.startsWith('off')) this.stoppedBy = 'off';
    if (fault.startsWith('killed')) this.stoppedBy = 'killed';
    throw Object.assign(new Error(`${fault}: simulated`), { code: fault === 'ENOSPC' ? fault : 'EIO' });
  }

  #changeNames(change: (names: Names) => void): void {
    change(this.#names);
    this.#pendingNames.push(change);
  }

  #openFolder(call: Call): JournalFile {
    const sync = () =>
      call(() => {
        for (const change of this.#pendingNames.splice(0)) change(this.#durableNames);
      });
    return { sync, close: async () => {} } as JournalFile;
  }

  #open(name: string, flags: string, call: Call): JournalFile {
    if (flags === 'wx') {
      const created: Inode = { seen: Buffer.alloc(0), durable: Buffer.alloc(0), pending: [] };
      this.#inodes.add(created);
      this.#changeNames((names) => names.set(name, created));
    }
    const inode = this.#names.get(name);
    if (!inode) throw Object.assign(new Error(`ENOENT: ${name}`), { code: 'ENOENT' });
    let position = 0;
    const change = (each: Change) => {
      inode.seen = apply(inode.seen, [each]);
      inode.pending.push(each);
    };
    const sync = () =>
      call(
        () => this.#save(inode, () => true),
        () => this.#save(inode, this.#chance()),
      );
    return {
      sync,
      datasync: sync,
      close: async () => {},
      stat: () => call(() => ({ size: inode.seen.length })),
      truncate: (size) => call(() => change({ size })),
      read: (bytes, start, length, from) =>
        call(() => ({ bytesRead: inode.seen.copy(bytes, start, from, from + length) })),
      write: (bytes, start, length, at) => {
        const write = (bytesWritten: number) => {
          change({ position: at ?? position, bytes: Buffer.from(bytes.subarray(start, start + bytesWritten)) });
          if (at === null) position += bytesWritten;
          return { bytesWritten };
        };
        const part = (least: number) => write(this.#random.integer(least, length));
        return call(
          () => write(length),
          () => part(0),
          () => part(1),
        );
      },
    };
  }

  /** Cuts a write into pieces that get to the disk each for itself. */
  #pieces(change: Change): Change[] {
    if ('size' in change) return [change];
    const { position, bytes } = change;
    const step = Math.max(this.#random.pick([1, 4, 16, 512]), bytes.length >> 10);
    return Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) => ({
      position: position + i * step,
      bytes: bytes.subarray(i * step, (i + 1) * step),
    }));
  }
}
