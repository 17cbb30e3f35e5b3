import type { ServerResponse } from 'node:http';
import type { Content } from '../../content/content.ts';
import type { StaleEvent } from '../../content/versions/change-feed.ts';
import { isLater } from '../../store/content-version.ts';

/** Gets each event with the number of readers that it was sent to. */
type OnSent = (event: StaleEvent, readers: number) => void;

/** The events of one content, and their readers. */
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

  /** Sends the held events. If `content` has replaced the earlier content, sends a reset in their place. */
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

  /** Sends the events since a version and all further events. Without a version, begins with the id of the last event. */
  connect(reader: EventReader, lastVersion: string | undefined): void {
    this.#readers.add(reader);
    reader.onClose(() => this.#readers.delete(reader));
    reader.send(lastVersion === undefined ? `id: ${this.#recent.id}\n\n` : this.#recent.since(lastVersion));
  }

  /** Sends a comment to every reader, so that nobody considers the connection dead. */
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
  /** The id of the event before the first in the list. */
  #start: string;
  /** The greatest version so far. */
  #greatest: string;
  /** Number of further ids of versions that had an id before. */
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

  /** Adds an event and returns its text. A reader cannot resume from before an event that makes everything stale. */
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
   * Returns the id of an event. A version that is pinned, or served again after a pin, gets another id than before,
   * because a reader with the earlier id has missed the events in between.
   */
  #idOf(version: string): string {
    if (!isLater(version, this.#greatest)) return `${version}.${++this.#repeated}`;
    this.#greatest = version;
    return version;
  }

  /**
   * Returns the index of the event that names what differs since the version of an id, or -1: changes of a log were joined,
   * and that version was served elsewhere.
   */
  #joinedWith(id: string): number {
    if (!/^\d+-\d+$/.test(id) || !isLater(id, this.#start)) return -1;
    const next = this.#events.findIndex((event) => isLater(event.id, id));
    const isSameEpoch = next >= 0 && Number.parseInt(this.#events[next].id, 10) === Number.parseInt(id, 10);
    return isSameEpoch ? next : -1;
  }

  /** Returns the text of all events since an id, or of a reset if they are not known. */
  since(id: string): string {
    if (id === this.#start) return this.#events.map(({ text }) => text).join('');
    const index = this.#events.findIndex((event) => event.id === id);
    const next = index < 0 ? this.#joinedWith(id) : index + 1;
    if (next < 0) return resetText(this.id);
    return this.#events
      .slice(next)
      .map(({ text }) => text)
      .join('');
  }
}

function resetText(id: string): string {
  const [version] = id.split('.');
  return eventText('reset', id, { version });
}

/** Maximum number of unsent bytes per reader. A reader that falls further behind is disconnected, and can resume. */
const maximumUnsent = 8 * 2 ** 20;

/** Returns an event in the format of server-sent events. `data` holds no line break. */
function eventText(name: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A connected reader of server-sent events. */
export class EventReader {
  readonly #response: ServerResponse;

  /** Begins the reply. */
  constructor(response: ServerResponse) {
    this.#response = response;
    // nginx would wait for more
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  send(text: string): void {
    this.#response.write(text);
    if (this.#response.writableLength > maximumUnsent) this.#response.destroy();
  }

  end(): void {
    this.#response.end();
  }
}
