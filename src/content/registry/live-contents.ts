import type { Batch } from '../../changes/batch/batch.ts';
import type { Content } from '../content.ts';
import { type ChangeFigures, ContentChanges } from '../live/content-changes.ts';
import type { OpenedContentJournal } from '../live/content-journal.ts';
import type { JournalCompactionParts } from '../live/journal-compaction.ts';
import type { ContentEntry, Contents } from './contents.ts';

/** Changes the contents of a process while they are served. */
export class LiveContents {
  readonly #contents: Contents;
  readonly #changes = new WeakMap<Content, ContentChanges>();
  readonly #opened: OpenedContentJournal | null;
  readonly #compactions: JournalCompactionParts | undefined;

  /** `opened` is the journal of the first content, which has applied its batches. */
  constructor(contents: Contents, opened: OpenedContentJournal | null, compactions?: JournalCompactionParts) {
    this.#contents = contents;
    this.#opened = opened;
    this.#compactions = compactions;
    this.of(contents.first);
  }

  /** Returns what changes the content of an entry, or null if it could not be loaded. */
  of(entry: ContentEntry): ContentChanges | null {
    const { content } = entry;
    if (!content) return null;
    const known = this.#changes.get(content);
    if (known) return known;
    const deliver = (batch: Batch, version: string) => this.#contents.apply(entry, batch, version);
    const opened = entry === this.#contents.first ? this.#opened : null;
    const created = new ContentChanges(content, deliver, opened, this.#compactions);
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

  /** Closes the journal. */
  async close(): Promise<void> {
    await this.of(this.#contents.first)?.close();
  }
}
