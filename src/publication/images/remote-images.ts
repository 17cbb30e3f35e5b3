import { formatNumber } from '../../core/problems.ts';
import { PublicationError } from '../publication.ts';
import { type ImageMethod, type ImageReply, sendImageRequest, shownUrl } from './image-request.ts';
import type { ImageName, ImageStore } from './image-store.ts';

/** An address that holds images, and how requests to it are authorized. */
export interface RemotePlace {
  urlOf(image: ImageName): URL;
  /** Returns headers for a request. `url` may be at another origin, after a redirect. */
  authorize(method: ImageMethod, url: URL, image: ImageName): Promise<Readonly<Record<string, string>>>;
  /** Returns what a status means here, if more is known than its number. */
  explain(reply: ImageReply): Promise<string | null>;
}

const defaultPatience = 30_000;

/** Images that GET, HEAD and PUT reach at an address. Whoever has the address removes old ones. */
export class RemoteImages implements ImageStore {
  readonly #place: RemotePlace;
  readonly #patience: number;

  /** `patience`: milliseconds without a byte after which a request ends. */
  constructor(place: RemotePlace, patience = defaultPatience) {
    this.#place = place;
    this.#patience = patience;
  }

  placeOf(image: ImageName): string {
    return shownUrl(this.#place.urlOf(image));
  }

  async has(image: ImageName, signal?: AbortSignal): Promise<boolean> {
    const reply = await this.#send('HEAD', image, { signal });
    await reply.discard();
    if (reply.status === 200) return reply.headers.get('content-length') === String(image.bytes);
    // storage that does not let this user list answers 403 for what is missing: the PUT shows what is allowed
    if ([403, 404, 405, 410, 501].includes(reply.status)) return false;
    throw await this.#failed('HEAD', image, reply);
  }

  async put(image: ImageName, pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const reply = await this.#send('PUT', image, { signal, pieces });
    if (reply.status < 200 || reply.status >= 300) throw await this.#failed('PUT', image, reply);
    await reply.discard();
  }

  async *read(image: ImageName, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    const reply = await this.#send('GET', image, { signal });
    if (reply.status !== 200) throw await this.#failed('GET', image, reply);
    const length = reply.headers.get('content-length');
    if (length !== null && !reply.headers.has('content-encoding') && Number(length) !== image.bytes) {
      await reply.discard();
      const sizes = `${formatNumber(Number(length))} bytes and the image ${formatNumber(image.bytes)}`;
      throw new PublicationError(`${this.placeOf(image)} has ${sizes}`);
    }
    yield* reply.read();
  }

  async removeOld(): Promise<void> {}

  #send(
    method: ImageMethod,
    image: ImageName,
    { signal, pieces }: { readonly signal?: AbortSignal; readonly pieces?: AsyncIterable<Uint8Array> },
  ): Promise<ImageReply> {
    return sendImageRequest({
      method,
      url: this.#place.urlOf(image),
      authorize: (eachMethod, url) => this.#place.authorize(eachMethod, url, image),
      body: pieces && { bytes: image.bytes, pieces },
      patience: this.#patience,
      signal,
    });
  }

  async #failed(method: ImageMethod, image: ImageName, reply: ImageReply): Promise<PublicationError> {
    const explanation = await this.#place.explain(reply).catch(() => null);
    await reply.discard();
    const more = explanation === null ? '' : `: ${explanation}`;
    return new PublicationError(`${method} ${this.placeOf(image)} answers ${reply.status}${more}`);
  }
}
