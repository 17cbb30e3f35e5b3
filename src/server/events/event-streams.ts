import type { ContentEntry, Contents } from '../../content/registry/contents.ts';
import type { StaleEvent } from '../../content/versions/change-feed.ts';
import { ContentEvents } from './content-events.ts';
import type { Webhook } from './webhook.ts';

/** Interval between two comments, in milliseconds. */
const commentInterval = 15_000;

export interface EventFigures {
  readonly readers: number;
  /** Events sent since the start, counted for each reader. */
  readonly sent: number;
}

/** The events of all contents of a process. */
export class EventStreams {
  readonly #isHeld: boolean;
  readonly #byName = new Map<string, ContentEvents>();
  #comments: NodeJS.Timeout | null = null;
  #sent = 0;

  readonly #webhook: Webhook | null;

  /** `isHeld`: sends an event when every thread has made the change, instead of when this thread has. */
  constructor(isHeld: boolean, webhook: Webhook | null = null) {
    this.#isHeld = isHeld;
    this.#webhook = webhook;
  }

  /** Follows the contents of a registry, and the changes of the registry itself. */
  serve(contents: Contents): void {
    for (const entry of contents.all) this.#follow(entry);
    contents.onSettled((change) => {
      if (change.kind === 'delete') this.#delete(change.name);
      else this.#follow(change.entry);
    });
    this.#comments = setInterval(() => {
      for (const events of this.#byName.values()) events.sendComment();
    }, commentInterval).unref();
  }

  /** Returns the events of a content, or undefined if it is not served. */
  of(name: string): ContentEvents | undefined {
    return this.#byName.get(name);
  }

  get figures(): EventFigures {
    const readers = Array.from(this.#byName.values(), (events) => events.readers);
    return { readers: readers.reduce((total, count) => total + count, 0), sent: this.#sent };
  }

  /** Ends all streams. */
  close(): void {
    if (this.#comments) clearInterval(this.#comments);
    this.#webhook?.close();
    for (const name of this.#byName.keys()) this.#remove(name);
  }

  /** Sends the held events of the content of an entry. Starts the events of a new content. */
  #follow({ name, content }: ContentEntry): void {
    const known = this.#byName.get(name);
    if (!content) this.#delete(name);
    else if (known) known.release(content);
    else {
      const onSent = (event: StaleEvent, readers: number) => {
        this.#sent += readers;
        this.#webhook?.send(name, event);
      };
      this.#byName.set(name, new ContentEvents(content, this.#isHeld, onSent));
      // the receiver may hold replies from before the start, or of a replaced content
      this.#webhook?.send(name, { version: content.version, tags: null });
    }
  }

  #delete(name: string): void {
    const events = this.#byName.get(name);
    if (events) this.#webhook?.send(name, { version: events.version, tags: null });
    this.#remove(name);
  }

  #remove(name: string): void {
    this.#byName.get(name)?.close();
    this.#byName.delete(name);
  }
}
