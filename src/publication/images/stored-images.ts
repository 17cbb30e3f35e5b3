import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { formatNumber } from '../../core/problems.ts';
import { writeAtomically } from '../../core/write-file.ts';
import { type Head, PublicationError, type PublishedImages } from '../publication.ts';
import type { ImageName, ImageStore } from './image-store.ts';

/** Puts and gets images of one name, wherever they are stored. Trusts neither names nor sizes. */
export class StoredImages implements PublishedImages {
  readonly #store: ImageStore;
  readonly #readHead: () => Promise<Head | null>;

  /** The images that the head names are never removed. */
  constructor(store: ImageStore, readHead: () => Promise<Head | null>) {
    this.#store = store;
    this.#readHead = readHead;
  }

  async putImage(path: string, signal?: AbortSignal): Promise<ImageName> {
    const image = await nameImage(path, signal);
    if (await this.#store.has(image, signal)) return image;
    // a file that has changed since would be found under the SHA-256 from then on
    await this.#store.put(image, verified(image, path, piecesOf(path, signal)), signal);
    const head = await this.#readHead().catch(() => undefined);
    // what is in use is not known, so nothing is removed
    if (head === undefined) return image;
    const named = [head?.image, head?.pinned].flatMap((each) => each?.sha256 ?? []);
    await this.#store.removeOld(new Set([image.sha256, ...named]));
    return image;
  }

  async getImage(image: ImageName, path: string, signal?: AbortSignal): Promise<void> {
    const place = this.#store.placeOf(image);
    try {
      await writeAtomically(path, verified(image, place, this.#store.read(image, signal)));
    } catch (error) {
      if (error instanceof PublicationError || signal?.aborted) throw error;
      const cause = error as Error;
      throw new PublicationError(`cannot write the image to ${path}: ${cause.message}`, { cause });
    }
  }
}

async function nameImage(path: string, signal?: AbortSignal): Promise<ImageName> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of piecesOf(path, signal)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Throws a PublicationError, or the reason of the signal. */
async function* piecesOf(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    const cause = error as Error;
    throw new PublicationError(`cannot read the image ${path}: ${cause.message}`, { cause });
  }
}

/**
 * Yields the pieces, the last of them when all are known to be those of the image. Throws as soon as there are too many
 * bytes.
 */
async function* verified(
  image: ImageName,
  place: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  let last: Uint8Array | null = null;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > image.bytes) {
      throw new PublicationError(`${place} has more than the ${formatNumber(image.bytes)} bytes of the image`);
    }
    hash.update(piece);
    if (last) yield last;
    last = piece;
  }
  if (bytes < image.bytes) {
    const sizes = `${formatNumber(bytes)} of ${formatNumber(image.bytes)} bytes`;
    throw new PublicationError(`${place} ended after ${sizes}`);
  }
  const sha256 = hash.digest('hex');
  if (sha256 !== image.sha256) throw new PublicationError(`${place} holds other bytes: their SHA-256 is ${sha256}`);
  if (last) yield last;
}
