import type { Content } from '../../content/content.ts';
import type { StaleEvent } from '../../content/versions/change-feed.ts';
import type { EventReader } from './event-reader.ts';
import { RecentEvents } from './recent-events.ts';

/** Gets each event with the number of readers that it was sent to. */
type OnSent = (event: StaleEvent, readers: number) => void;

/** The events of the content of one name, and who reads them. */
export class ContentEvents {
  #content: Content;
  #recent: RecentEvents;
  #unlisten: () => void;
  /** Whether events wait until `release`, because other threads serve a change later. */
  readonly #isHeld: boolean;
  #held: StaleEvent[] = [];
  readonly #readers = new Set<EventReader>();
  readonly #onSent: OnSent;

  constructor(content: Content, isHeld: boolean, onSent: OnSent) {
    this.#content = content;
    this.#isHeld = isHeld;
    this.#onSent = onSent;
    this.#recent = new RecentEvents(content.version);
    this.#unlisten = this.#listen();
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** The version of the content in this thread. */
  get version(): string {
    return this.#content.version;
  }

  /** Sends what was held. `content` is what has the name now: another one begins with a reset. */
  release(content: Content): void {
    if (content !== this.#content) {
      this.#unlisten();
      this.#content = content;
      this.#held = [{ version: content.version, tags: null }];
      this.#unlisten = this.#listen();
    }
    for (const event of this.#held) this.#send(event);
    this.#held = [];
  }

  /** Sends the events since a version, and all further ones. Without a version, only its own is sent, as an id. */
  connect(reader: EventReader, lastVersion: string | undefined): void {
    this.#readers.add(reader);
    reader.onClose(() => this.#readers.delete(reader));
    reader.send(lastVersion === undefined ? `id: ${this.#recent.id}\n\n` : this.#recent.since(lastVersion));
  }

  /** Sends a comment to every reader, so that none takes the connection for dead. */
  sendComment(): void {
    for (const reader of this.#readers) reader.send(':\n\n');
  }

  close(): void {
    this.#unlisten();
    for (const reader of this.#readers) reader.end();
  }

  #listen(): () => void {
    return this.#content.onStale((event) => {
      if (this.#isHeld) this.#held.push(event);
      else this.#send(event);
    });
  }

  #send(event: StaleEvent): void {
    const text = this.#recent.add(event);
    for (const reader of this.#readers) reader.send(text);
    this.#onSent(event, this.#readers.size);
  }
}
