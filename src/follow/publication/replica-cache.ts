import type { Logger } from 'pino';
import type { LoadOptions } from '../../load/loaded.ts';
import type { SignInSecrets } from '../../model/access/definitions.ts';
import type { CachedContent, ContentCache } from '../source-cache.ts';
import { loadPublishedImage } from './published-image.ts';
import type { ReplicaImages } from './replica-images.ts';

/** Content for a start while the publication cannot be read. The reader keeps the images, so nothing else is written. */
export class ReplicaCache implements ContentCache {
  readonly #images: ReplicaImages;
  readonly #secrets: SignInSecrets | null;
  readonly #log: Logger;

  constructor(images: ReplicaImages, secrets: SignInSecrets | null, log: Logger) {
    this.#images = images;
    this.#secrets = secrets;
    this.#log = log;
  }

  async load(options: LoadOptions): Promise<CachedContent | null> {
    try {
      const last = await this.#images.lastServed();
      if (!last) return null;
      const { image, pinned, access, readAt } = last;
      const path = await this.#images.pathOf(image);
      const loaded = await loadPublishedImage(path, image, options);
      const held = pinned && { ...pinned, version: pinned, path: await this.#images.pathOf(pinned) };
      const others = { pinned: held, secrets: this.#secrets, uploadedFiles: null, replacesFiles: true };
      return { loaded: { ...loaded, ...access, ...others }, readAt };
    } catch (error) {
      this.#log.warn(`the cached content cannot be used: ${(error as Error).message}`);
      return null;
    }
  }

  setWritten(): void {}

  changed(): void {}

  async close(): Promise<void> {}
}
