import type { LoadedSnapshot, PinnedImage } from '../../load/loaded.ts';
import type { Content } from '../content.ts';
import { type ChangeFigures, ChangeWriter, type Deliver, type ReloadOptions } from '../live/change-writer.ts';
import type { JournalCompactionParts } from '../live/compact-served-journal.ts';
import type { OpenedContentJournal } from '../live/content-journal.ts';
import type { PublishParts } from '../live/published-content.ts';
import type { ContentPublication } from '../publishing/content-publication.ts';
import type { ContentEntry, Contents } from './contents.ts';
import type { StoredContents } from './stored-contents.ts';

/** The contents that a server serves and lets its admin port change. */
export interface ServedContents {
  readonly contents: Contents;
  /** Whether requests choose a content. If not, there is only one: it answers every request and has all the memory. */
  readonly areChosen: boolean;
  /** Null in a thread whose contents another thread changes. It has no admin port. */
  readonly stored: StoredContents | null;
  /** Null in the same threads as `stored`. */
  readonly live: LiveContents | null;
}

/** Changes the contents of a process while they are served. */
export class LiveContents {
  readonly #contents: Contents;
  readonly #changes = new WeakMap<Content, ChangeWriter>();
  readonly #opened: OpenedContentJournal | null;
  #publishing: ContentPublication | null = null;
  readonly #compactions: JournalCompactionParts | undefined;

  /** `opened` is the journal of the first content, which has applied its batches. */
  constructor(contents: Contents, opened: OpenedContentJournal | null, compactions?: JournalCompactionParts) {
    this.#contents = contents;
    this.#opened = opened;
    this.#compactions = compactions;
    this.of(contents.first);
  }

  /** Returns the object that changes the content of an entry. Null if the content could not be loaded. */
  of(entry: ContentEntry): ChangeWriter | null {
    const { content } = entry;
    if (!content) return null;
    const known = this.#changes.get(content);
    if (known) return known;
    const deliver: Deliver = (change) => this.#contents.apply(entry, change);
    const opened = entry === this.#contents.first ? this.#opened : null;
    const created = new ChangeWriter(content, deliver, opened, this.#compactions);
    this.#changes.set(content, created);
    return created;
  }

  /** The figures of each content since the start, by name. */
  get figures(): (readonly [name: string, changes: ChangeFigures])[] {
    return this.#contents.all.flatMap((entry) => {
      const changes = this.of(entry);
      return changes ? [[entry.name, changes.figures] as const] : [];
    });
  }

  /** Publishes the first content from now on. Rejects as `ContentPublication.begin` does. */
  async publish(publication: ContentPublication, load: PublishParts['load']): Promise<void> {
    const entry = this.#contents.first;
    this.#publishing = publication;
    await publication.begin(this.of(entry)!, { spread: () => this.#contents.update(entry), load });
    publication.serves(entry);
    this.#contents.onSettled(() => publication.serves(this.#contents.first));
  }

  /** As `ContentPublication.pinnedImage`, of the first content. */
  async pinnedImage(): Promise<PinnedImage | null> {
    return (await this.#publishing?.pinnedImage()) ?? null;
  }

  /**
   * Resolves when a version of a content may be announced: when all replicas serve it, or the time for that has passed. At
   * once for a content that is not published.
   */
  async confirmed(name: string, version: string): Promise<void> {
    if (this.#contents.first.name === name) await this.#publishing?.confirmed(version);
  }

  /** Publishes no more, and closes the journal. */
  async close(): Promise<void> {
    await this.of(this.#contents.first)?.close();
    await this.#publishing?.close();
  }
}

export type ReloadContentOptions = Omit<ReloadOptions, 'spread'>;

/**
 * Serves a snapshot that was loaded again in place of the content of an entry, and returns whether it is new, when
 * every thread answers from it. If it is not new, the store stays, and only the uploaded files may change. Rejects with
 * a ConfigError if settings or the journal contradict it.
 */
export function reloadContent(
  { contents, live }: ServedContents,
  entry: ContentEntry,
  loaded: LoadedSnapshot,
  options: ReloadContentOptions,
): Promise<boolean> {
  const spread = () => contents.update(entry);
  return live!.of(entry)!.reload(loaded, { ...options, spread });
}
