import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SnapshotError } from '../../core/errors.ts';
import { type ExportFile, exportFiles } from '../../load/archive.ts';
import { checkUnchanged } from '../../load/files.ts';
import { limits } from '../../load/limits.ts';
import { beginUse, CacheError, cacheFolder, cacheSubfolder, endUse, inCache } from './cache-folder.ts';
import { missingFromArchive } from './missing-files.ts';

/** Whether a file is unpacked, missing from the archive, or still to be unpacked. */
export type FileState = 'ready' | 'missing' | 'pending';

/** The files of an archive that are unpacked in the background while content is served. */
export interface UnpackedFiles {
  /** The folder of the unpacked files. Known when the first is ready. */
  readonly folder: string | null;
  /** Resolves with warnings when no more files will be unpacked. */
  readonly settled: Promise<string[]>;
  /** Returns the state of a file. Waits at most `milliseconds` for it to be unpacked. */
  state(name: string, milliseconds: number): Promise<FileState>;
  /** Waits for the end of unpacking, then removes the folder unless others use it. It stays if it cannot be removed. */
  release(): Promise<void>;
}

/** Unpacks the files of an archive. */
export class Unpacking implements UnpackedFiles {
  folder: string | null = null;
  readonly settled: Promise<string[]>;
  readonly #names: ReadonlySet<string>;
  readonly #ready = new Set<string>();
  readonly #waiters = new Map<string, Set<(state: FileState) => void>>();
  #isSettled = false;

  constructor(archive: Archive, cache: string | undefined) {
    this.#names = archive.names;
    const listener = {
      started: (folder: string) => void (this.folder = folder),
      unpacked: (name: string) => this.#unpacked(name),
    };
    const run = archive.names.size > 0 ? unpack(archive, cache, listener) : Promise.resolve();
    this.settled = run.then(
      () => this.#settle(missingFromArchive(archive.names, this.#ready)),
      (error) => this.#settle([failureWarning(error)]),
    );
  }

  async state(name: string, milliseconds: number): Promise<FileState> {
    if (this.#ready.has(name)) return 'ready';
    if (this.#isSettled || !this.#names.has(name)) return 'missing';
    const waiters = this.#waiters.get(name) ?? new Set();
    this.#waiters.set(name, waiters);
    return new Promise((resolve) => {
      const notify = (state: FileState) => {
        clearTimeout(timer);
        waiters.delete(notify);
        resolve(state);
      };
      const timer = setTimeout(notify, milliseconds, 'pending').unref();
      waiters.add(notify);
    });
  }

  async release(): Promise<void> {
    await this.settled;
    if (this.folder !== null) await endUse(this.folder).catch(() => {});
  }

  #unpacked(name: string): void {
    this.#ready.add(name);
    this.#notify(name, 'ready');
  }

  #settle(warnings: string[]): string[] {
    this.#isSettled = true;
    for (const name of [...this.#waiters.keys()]) this.#notify(name, 'missing');
    return warnings;
  }

  #notify(name: string, state: FileState): void {
    for (const notify of this.#waiters.get(name) ?? []) notify(state);
    this.#waiters.delete(name);
  }
}

function failureWarning(error: unknown): string {
  const isExpected = error instanceof CacheError || error instanceof SnapshotError;
  const reason =
    isExpected || (error instanceof Error && 'syscall' in error) ? (error as Error).message : String(error);
  return `some uploaded files could not be unpacked and are not served: ${reason}`;
}

export interface Archive {
  readonly path: string;
  /** The files to unpack. */
  readonly names: ReadonlySet<string>;
  /** Result of `fileSignature` for the archive when its entries were loaded. */
  readonly signature: string;
}

/** `started` is called before the first file, `unpacked` for each complete file. */
interface UnpackListener {
  started(folder: string): void;
  unpacked(name: string): void;
}

/** Holds the size of each file. Written last: if it is missing, the files are incomplete. */
const manifestName = '.complete.json';
/** Part of the digest. Change it when a new version unpacks different files. */
const layout = 'uploads 1\n';
const partPrefix = '.part-';
/** Age at which a partial file of another process counts as abandoned, in milliseconds. */
const abandonedAfter = 24 * 3600 * 1000;
const pieceBytes = 2 ** 20;
/** Number of concurrent lstat calls. */
const statConcurrency = 32;

/**
 * Unpacks the named files of an archive. The folder is named by the digest of the archive, so an archive is unpacked
 * only once and a changed archive never yields old files. Each file is renamed when it is complete, so concurrent
 * processes only replace equal files. This process uses the folder until it calls `endUse`. Throws a CacheError or a
 * SnapshotError.
 */
export async function unpack(archive: Archive, cache: string | undefined, listener: UnpackListener): Promise<void> {
  const { path, names } = archive;
  const root = await cacheFolder(cache);
  const folder = await cacheSubfolder(root, `uploads-${await archiveDigest(archive)}`);
  await beginUse(folder);
  listener.started(folder);
  const known = await readManifest(folder);
  if (known) {
    for (const name of known.keys()) listener.unpacked(name);
    return;
  }
  await removeAbandoned(folder);
  const sizes = new Map<string, number>();
  for await (const file of exportFiles(
    path,
    (name) => /(^|\/)assets\/uploads\/[^/]+$/.test(name),
    limits.uploadBytes,
  )) {
    const name = basename(file.name);
    if (!names.has(name) || sizes.has(name)) continue;
    sizes.set(name, await writeAtomically(archive, file, folder, name));
    listener.unpacked(name);
  }
  await checkUnchanged(archive.path, archive.signature);
  await inCache(root, async () => {
    const part = partName(folder);
    await writeFile(part, JSON.stringify(Object.fromEntries(sizes)), { flag: 'wx', mode: 0o600 });
    await rename(part, join(folder, manifestName));
  });
}

/** Writes a file under a temporary name and renames it when it is complete. Returns its size. */
async function writeAtomically(archive: Archive, file: ExportFile, folder: string, name: string): Promise<number> {
  const part = partName(folder);
  try {
    let bytes = 0;
    const handle = await inCache(folder, () => open(part, 'wx', 0o600));
    try {
      for await (const piece of file.content) {
        bytes += piece.length;
        await inCache(folder, () => handle.writeFile(piece));
      }
      if (file.modified) await handle.utimes(file.modified, file.modified);
    } finally {
      await handle.close();
    }
    if (bytes !== file.size) {
      throw new SnapshotError([`${archive.path}: ${file.name}: only ${bytes} of ${file.size} bytes could be read`]);
    }
    await checkUnchanged(archive.path, archive.signature);
    await inCache(folder, () => rename(part, join(folder, name)));
    return bytes;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Returns the digest of an archive's bytes, which also determine the names to unpack. */
async function archiveDigest(archive: Archive): Promise<string> {
  const hash = createHash('sha256').update(layout);
  for await (const piece of createReadStream(archive.path, { highWaterMark: pieceBytes })) hash.update(piece);
  await checkUnchanged(archive.path, archive.signature);
  return hash.digest('hex').slice(0, 32);
}

/** Returns the file sizes of a completely unpacked folder, or null if files are missing or have changed. */
async function readManifest(folder: string): Promise<Map<string, number> | null> {
  let sizes: [string, number][];
  try {
    sizes = Object.entries(JSON.parse(await readFile(join(folder, manifestName), 'utf8')));
  } catch {
    return null;
  }
  for (let i = 0; i < sizes.length; i += statConcurrency) {
    const checks = sizes.slice(i, i + statConcurrency).map(async ([name, size]) => {
      const found = await lstat(join(folder, name)).catch(() => null);
      return found?.isFile() === true && found.size === size;
    });
    if ((await Promise.all(checks)).includes(false)) return null;
  }
  return new Map(sizes);
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(partPrefix)) continue;
    const part = join(folder, name);
    const found = await lstat(part).catch(() => null);
    if (found && Date.now() - found.mtimeMs > abandonedAfter) await rm(part, { force: true });
  }
}

function partName(folder: string): string {
  return join(folder, `${partPrefix}${process.pid}-${randomUUID()}`);
}
