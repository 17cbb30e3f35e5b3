import type { Content } from '../../content/content.ts';
import type { StaleEvent } from '../../content/versions/change-feed.ts';
import { isLater } from '../../store/content-version.ts';
import { type EventReader, eventText } from './event-reader.ts';

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

const maximumEvents = 1000;
const maximumBytes = 4 * 2 ** 20;

interface RecentEvent {
  readonly id: string;
  readonly text: string;
}

/** The last events of a content. */
export class RecentEvents {
  /** The id before the first of the events. */
  #start: string;
  /** The greatest version so far. */
  #greatest: string;
  /** How many ids were given to versions that had one before. */
  #repeated = 0;
  #events: RecentEvent[] = [];
  #bytes = 0;

  constructor(version: string) {
    this.#start = version;
    this.#greatest = version;
  }

  /** The id of the last event. It begins with the version that is served. */
  get id(): string {
    return this.#events.at(-1)?.id ?? this.#start;
  }

  /** Adds an event and returns its text. Nobody resumes from before an event that makes everything stale. */
  add({ version, tags }: StaleEvent): string {
    const id = this.#idOf(version);
    if (tags === null) {
      this.#events = [];
      this.#bytes = 0;
      this.#start = id;
      return resetText(id);
    }
    const text = eventText('stale', id, { version, tags });
    this.#events.push({ id, text });
    this.#bytes += text.length;
    while (this.#events.length > maximumEvents || this.#bytes > maximumBytes) {
      const [oldest] = this.#events.splice(0, 1);
      this.#bytes -= oldest.text.length;
      this.#start = oldest.id;
    }
    return text;
  }

  /**
   * A version that is pinned, or served again after a pin, had an id before. It gets another one: whoever has the first has
   * not read what came in between.
   */
  #idOf(version: string): string {
    if (!isLater(version, this.#greatest)) return `${version}.${++this.#repeated}`;
    this.#greatest = version;
    return version;
  }

  /** Returns the text of all events since an id, or of a reset if they are not known. */
  since(id: string): string {
    if (id === this.#start) return this.#events.map(({ text }) => text).join('');
    const index = this.#events.findIndex((event) => event.id === id);
    if (index < 0) return resetText(this.id);
    return this.#events
      .slice(index + 1)
      .map(({ text }) => text)
      .join('');
  }
}

function resetText(id: string): string {
  const [version] = id.split('.');
  return eventText('reset', id, { version });
}
