import type { Batch } from '../changes/batch.ts';
import type { Content } from '../content.ts';
import { type ChangeFigures, ContentChanges } from '../live/content-changes.ts';
import type { OpenedContentJournal } from '../live/content-journal.ts';
import type { ContentEntry, Contents } from './contents.ts';

/** Changes the contents of a process while they are served. */
export class LiveContents {
  readonly #contents: Contents;
  readonly #changes = new WeakMap<Content, ContentChanges>();
  readonly #opened: OpenedContentJournal | null;

  /** `opened` is the journal of the first content, which has applied its batches. */
  constructor(contents: Contents, opened: OpenedContentJournal | null) {
    this.#contents = contents;
    this.#opened = opened;
    this.of(contents.first);
  }

  /** Returns what changes the content of an entry, or null if it could not be loaded. */
  of(entry: ContentEntry): ContentChanges | null {
    const { content } = entry;
    if (!content) return null;
    const known = this.#changes.get(content);
    if (known) return known;
    const deliver = (batch: Batch, version: string) => this.#contents.apply(entry, batch, version);
    const created = new ContentChanges(content, deliver, entry === this.#contents.first ? this.#opened : null);
    this.#changes.set(content, created);
    return created;
  }

  /** What was changed since the start, of each content with its name. */
  get figures(): (readonly [name: string, changes: ChangeFigures])[] {
    return this.#contents.all.flatMap((entry) => {
      const changes = this.of(entry);
      return changes ? [[entry.name, changes.figures] as const] : [];
    });
  }

  /** The batches that the first content had applied when it was opened. */
  get replayed(): readonly Batch[] {
    return this.#opened?.batches ?? [];
  }

  /** Closes the journal. */
  async close(): Promise<void> {
    await this.of(this.#contents.first)?.journal?.close();
  }
}
