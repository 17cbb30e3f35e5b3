import type { StaleEvent } from '../../content/change-feed.ts';
import { eventText } from './event-reader.ts';

const maximumEvents = 1000;
const maximumBytes = 4 * 2 ** 20;

interface RecentEvent {
  readonly version: string;
  readonly text: string;
}

/** The last events of a content. */
export class RecentEvents {
  /** The version before the first of the events. */
  #start: string;
  #events: RecentEvent[] = [];
  #bytes = 0;

  constructor(version: string) {
    this.#start = version;
  }

  /** The version after the last event. */
  get version(): string {
    return this.#events.at(-1)?.version ?? this.#start;
  }

  /** Adds an event and returns its text. Nobody resumes from before an event that makes everything stale. */
  add({ version, tags }: StaleEvent): string {
    if (tags === null) {
      this.#events = [];
      this.#bytes = 0;
      this.#start = version;
      return resetText(version);
    }
    const text = eventText('stale', version, { version, tags });
    this.#events.push({ version, text });
    this.#bytes += text.length;
    while (this.#events.length > maximumEvents || this.#bytes > maximumBytes) {
      const [oldest] = this.#events.splice(0, 1);
      this.#bytes -= oldest.text.length;
      this.#start = oldest.version;
    }
    return text;
  }

  /** Returns the text of all events since a version, or of a reset if they are not known. */
  since(version: string): string {
    if (version === this.#start) return this.#events.map(({ text }) => text).join('');
    const index = this.#events.findIndex((event) => event.version === version);
    if (index < 0) return resetText(this.version);
    return this.#events
      .slice(index + 1)
      .map(({ text }) => text)
      .join('');
  }
}

function resetText(version: string): string {
  return eventText('reset', version, { version });
}
