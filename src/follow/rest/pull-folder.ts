import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, cacheSubfolder } from '../../http/files/cache-folder.ts';
import { makeCopyFolder } from '../../load/database/copy-folder.ts';

/**
 * A private folder for a pull. Pulls of the same source by several readers or processes have a folder each. If there is a
 * cache folder, it keeps the rows of a failed pull for the next one.
 */
export class PullFolder {
  /** The path at which the content appears. It does not exist. */
  readonly path: string;
  readonly #folder: string;
  readonly #kept: string | null;

  private constructor(folder: string, kept: string | null) {
    this.#folder = folder;
    this.#kept = kept;
    this.path = join(folder, 'content');
  }

  /**
   * Makes the folder. `name` is that of the source. Pulls without users begin anew where one with users has failed. Rejects
   * with a CacheError or a system error.
   */
  static async make(cacheDir: string | undefined, name: string, withoutUsers: boolean): Promise<PullFolder> {
    const cache = cacheDir === undefined ? null : await cacheSubfolder(await cacheFolder(cacheDir), 'pulls');
    const made = await makeCopyFolder('pull', cache ?? tmpdir());
    const kept = cache && join(cache, `${name}${withoutUsers ? '.no-users' : ''}.pull`);
    if (cache && withoutUsers) await rm(join(cache, `${name}.pull`), { recursive: true, force: true });
    const folder = new PullFolder(made, kept);
    // only one of several readers takes the folder
    if (folder.#kept !== null) await rename(folder.#kept, folder.#work).catch(ignoreMissing);
    return folder;
  }

  /** Removes the folder, but keeps the rows of a failed pull. */
  async close(): Promise<void> {
    // missing after success; of two failed pulls, one is kept
    if (this.#kept !== null) await rename(this.#work, this.#kept).catch(() => {});
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The folder in which `pullContent` keeps the rows that it has read. */
  get #work(): string {
    return `${this.path}.pull`;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
