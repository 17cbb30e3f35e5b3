/** The images of a publication that a replica has on its disk. They are its cache: what is there is not downloaded again. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../../core/write-file.ts';
import { cacheFolder, cacheSubfolder } from '../../http/files/cache-folder.ts';
import { apiTokens } from '../../load/image/check/documents.ts';
import type { Publication, PublishedImage } from '../../publication/publication.ts';
import type { PublicationSource } from '../source-reader.ts';

const image = z.object({
  epoch: z.int(),
  sequence: z.int(),
  digest: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
});

/** What a replica has served last, beside its images. */
const servedSchema = z.object({
  image,
  pinned: image.nullable(),
  access: z.object({ apiTokens, emailConfirmation: z.boolean() }).nullable(),
  /** When it was read, in milliseconds since 1970. */
  readAt: z.number(),
});

export type LastServed = z.infer<typeof servedSchema>;

/**
 * Images besides those that are needed: the last one, from which another replica of the machine may be starting. None if users
 * are left out, because it may hold some.
 */
const keptImages = 1;

export class ReplicaImages {
  readonly #source: Pick<PublicationSource, 'to' | 'name' | 'cacheDir' | 'users'>;

  constructor(source: Pick<PublicationSource, 'to' | 'name' | 'cacheDir' | 'users'>) {
    this.#source = source;
  }

  /**
   * Returns the path of an image, and whether it was there. Downloads it if it is missing or damaged, after `wait`. Rejects
   * with a PublicationError or a CacheError.
   */
  async take(
    wanted: PublishedImage,
    publication: Pick<Publication, 'getImage'>,
    signal: AbortSignal,
    wait: () => Promise<void>,
  ): Promise<string> {
    const path = await this.pathOf(wanted);
    if (await holds(path, wanted)) {
      // the order of their times is that of their use
      await utimes(path, new Date(), new Date()).catch(() => {});
      return path;
    }
    await wait();
    signal.throwIfAborted();
    await publication.getImage(wanted, path, signal);
    return path;
  }

  async pathOf({ sha256 }: Pick<PublishedImage, 'sha256'>): Promise<string> {
    return join(await this.#folder(), `${sha256}.lectern`);
  }

  /** Removes images that are not needed any more. What cannot be removed stays. */
  async removeOthers(needed: readonly PublishedImage[]): Promise<void> {
    const folder = await this.#folder();
    const kept = new Set(needed.map(({ sha256 }) => `${sha256}.lectern`));
    const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.lectern$/.test(name) && !kept.has(name));
    const found = await Promise.all(names.map(async (name) => ({ name, used: await timeOf(join(folder, name)) })));
    const old = found.sort((a, b) => b.used - a.used).slice(this.#source.users ? keptImages : 0);
    for (const { name } of old) await rm(join(folder, name), { force: true }).catch(() => {});
  }

  /** Writes what is served, for a start while the publication cannot be read. */
  async remember(served: LastServed): Promise<void> {
    await writeAtomically(await this.#servedPath(), [Buffer.from(JSON.stringify(served))]);
  }

  /** Returns what was served last; null before the first. Rejects if the file is damaged. */
  async lastServed(): Promise<LastServed | null> {
    try {
      return servedSchema.parse(JSON.parse(await readFile(await this.#servedPath(), 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async #servedPath(): Promise<string> {
    return join(await this.#folder(), 'served.json');
  }

  async #folder(): Promise<string> {
    const { to, name, cacheDir } = this.#source;
    const images = await cacheSubfolder(await cacheFolder(cacheDir), 'images');
    const key = createHash('sha256')
      .update(JSON.stringify([to, name]))
      .digest('hex');
    return cacheSubfolder(images, key.slice(0, 32));
  }
}

/** Whether a file has the bytes that its name says. */
async function holds(path: string, { sha256, bytes }: PublishedImage): Promise<boolean> {
  try {
    if ((await stat(path)).size !== bytes) return false;
    const hash = createHash('sha256');
    for await (const piece of createReadStream(path)) hash.update(piece);
    return hash.digest('hex') === sha256;
  } catch {
    return false;
  }
}

async function timeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
