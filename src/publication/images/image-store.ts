import type { PublishedImage } from '../publication.ts';

export type ImageName = Pick<PublishedImage, 'sha256' | 'bytes'>;

/** A place that holds the images of one name. Methods reject with a PublicationError that names the place. */
export interface ImageStore {
  has(image: ImageName, signal?: AbortSignal): Promise<boolean>;
  /** Stores the bytes of an image. If the pieces throw, nothing is stored, and `put` rejects with what they threw. */
  put(image: ImageName, pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /** Yields the bytes that are stored under the SHA-256. The caller verifies them. */
  read(image: ImageName, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Removes old images, except those that `kept` names. Stores that others clean up do nothing. */
  removeOld(kept: ReadonlySet<string>): Promise<void>;
  /** For messages, without secrets. */
  placeOf(image: ImageName): string;
}

/** Returns the name of the file that holds an image. */
export function fileNameOf({ sha256 }: Pick<ImageName, 'sha256'>): string {
  return `${sha256}.lectern`;
}
