import type { Contents } from '../../contents/contents.ts';
import { ContentEvents } from './content-events.ts';

/** Interval between two comments, in milliseconds. */
const commentInterval = 15_000;

export interface EventFigures {
  readonly readers: number;
  /** Events times the readers that they were sent to, since the start. */
  readonly sent: number;
}

/** The events of all contents of a process. */
export class EventStreams {
  readonly #isHeld: boolean;
  readonly #byName = new Map<string, ContentEvents>();
  #comments: NodeJS.Timeout | null = null;
  #sent = 0;

  /** `isHeld`: an event is sent when every thread has made the change, not when this one has. */
  constructor(isHeld: boolean) {
    this.#isHeld = isHeld;
  }

  /** Follows the contents of a registry, and the changes of the registry itself. */
  serve(contents: Contents): void {
    const update = () => {
      const { all } = contents;
      const names = new Set(all.map(({ name }) => name));
      for (const name of this.#byName.keys()) if (!names.has(name)) this.#remove(name);
      for (const { name, content } of all) {
        const known = this.#byName.get(name);
        if (known && content) known.release(content);
        else if (content)
          this.#byName.set(name, new ContentEvents(content, this.#isHeld, (sent) => (this.#sent += sent)));
        else this.#remove(name);
      }
    };
    contents.onSettled(update);
    update();
    this.#comments = setInterval(() => {
      for (const events of this.#byName.values()) events.sendComment();
    }, commentInterval).unref();
  }

  /** The events of a content; undefined if it is not served. */
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
    for (const name of this.#byName.keys()) this.#remove(name);
  }

  #remove(name: string): void {
    this.#byName.get(name)?.close();
    this.#byName.delete(name);
  }
}
