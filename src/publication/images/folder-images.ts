import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { targetOfTemporary, writeAtomically } from '../../core/write-file.ts';
import { PublicationError } from '../publication.ts';
import { fileNameOf, type ImageName, type ImageStore } from './image-store.ts';

const keptImages = 3;
/** Milliseconds in which a replica that reads a head gets its image. */
const keptFor = 60 * 60 * 1000;

/** Images as files of a folder: `SHA256.lectern`. */
export class FolderImages implements ImageStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  placeOf(image: ImageName): string {
    return join(this.#folder, fileNameOf(image));
  }

  async has(image: ImageName): Promise<boolean> {
    const found = await stat(this.placeOf(image)).catch(() => null);
    return found?.size === image.bytes;
  }

  async put(image: ImageName, pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeAtomically(this.placeOf(image), pieces);
    } catch (error) {
      if (error instanceof PublicationError || signal?.aborted) throw error;
      throw failed('write', this.placeOf(image), error);
    }
  }

  async *read(image: ImageName, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    try {
      yield* createReadStream(this.placeOf(image), { signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw failed('read', this.placeOf(image), error);
    }
  }

  /** Keeps the newest images too, and any that are less than an hour old. */
  async removeOld(kept: ReadonlySet<string>): Promise<void> {
    const files: { name: string; path: string; time: number }[] = [];
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!isImageFile(targetOfTemporary(name) ?? name)) continue;
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => null);
      if (found) files.push({ name, path, time: found.mtimeMs });
    }
    files.sort((a, b) => b.time - a.time);
    const images = files.filter(({ name }) => isImageFile(name));
    const newest = new Set(images.slice(0, keptImages));
    for (const file of files) {
      const isKept = newest.has(file) || kept.has(file.name.slice(0, 64)) || Date.now() - file.time < keptFor;
      if (!isKept) await rm(file.path, { force: true }).catch(() => {});
    }
  }
}

function isImageFile(name: string): boolean {
  return /^[0-9a-f]{64}\.lectern$/.test(name);
}

function failed(verb: 'read' | 'write', path: string, error: unknown): PublicationError {
  const cause = error as Error;
  return new PublicationError(`cannot ${verb} the image ${path}: ${cause.message}`, { cause });
}
