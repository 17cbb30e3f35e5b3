/** The uploaded files of archives: the coordinating thread unpacks them, and the others serve them. */
import { beginUse, endUse } from '../../http/files/cache-folder.ts';
import type { Archive } from '../../http/files/unpacking.ts';
import { type FileState, type UnpackedFiles, Unpacking } from '../../http/files/unpacking.ts';
import type { CoordinatorFunctions, UploadState } from './messages.ts';

/** Unpacks archives for all threads. */
export class SharedUnpacking {
  /** By key. Contents of the same archive unpack it into one folder. */
  readonly #archives = new Map<string, Set<Unpacking>>();
  #swapped: Promise<unknown> = Promise.resolve();

  /** Begins to unpack an archive. Its files are released when every thread serves the content that follows. */
  readonly unpack = (archive: Archive, cacheDir: string | undefined): UnpackedFiles => {
    const unpacking = new Unpacking(archive, cacheDir);
    const key = archiveKey(archive);
    const others = this.#archives.get(key) ?? new Set();
    this.#archives.set(key, others.add(unpacking));
    const release = unpacking.release.bind(unpacking);
    unpacking.release = async () => {
      await this.#swapped.catch(() => {});
      others.delete(unpacking);
      if (others.size === 0) this.#archives.delete(key);
      await release();
    };
    return unpacking;
  };

  /** Records that the other threads begin to serve other content. */
  swapping(swapped: Promise<unknown>): void {
    this.#swapped = swapped;
  }

  async state(archive: string, name: string, milliseconds: number): Promise<UploadState> {
    const [unpacking] = this.#archives.get(archive) ?? [];
    if (!unpacking) return { state: 'missing', folder: null };
    return { state: await unpacking.state(name, milliseconds), folder: unpacking.folder };
  }
}

/** The files of an archive that the coordinating thread unpacks. */
export class RemoteUnpacking implements UnpackedFiles {
  folder: string | null = null;
  /** The coordinating thread has the warnings. */
  readonly settled: Promise<string[]> = Promise.resolve([]);
  readonly #archive: Archive;
  readonly #coordinator: Pick<CoordinatorFunctions, 'upload'>;
  readonly #ready = new Set<string>();

  constructor(archive: Archive, coordinator: Pick<CoordinatorFunctions, 'upload'>) {
    this.#archive = archive;
    this.#coordinator = coordinator;
  }

  async state(name: string, milliseconds: number): Promise<FileState> {
    if (this.#ready.has(name)) return 'ready';
    if (!this.#archive.names.has(name)) return 'missing';
    const { state, folder } = await this.#coordinator.upload(archiveKey(this.#archive), name, milliseconds);
    if (state !== 'ready') return state;
    this.#ready.add(name);
    if (this.folder === null) {
      this.folder = folder!;
      await beginUse(folder!);
    }
    return state;
  }

  async release(): Promise<void> {
    if (this.folder !== null) await endUse(this.folder).catch(() => {});
  }
}

function archiveKey({ path, signature }: Archive): string {
  return `${path} ${signature}`;
}
