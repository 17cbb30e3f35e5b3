import type { ContentEntry, Contents } from './contents.ts';

/** Maximum interval between two searches for idle contents, in milliseconds. */
const maxInterval = 5000;

/**
 * Divides this thread's memory for caches among the contents in use. A content without requests for a while holds no
 * caches and no derived structures until its next request, unless it is the only content.
 */
export class MemoryShares {
  readonly #contents: Contents;
  readonly #idleMilliseconds: number;
  /** When each content in use was last chosen in this thread, in milliseconds since 1970. */
  readonly #inUse = new Map<ContentEntry, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(contents: Contents, idleMilliseconds: number) {
    this.#contents = contents;
    this.#idleMilliseconds = idleMilliseconds;
    this.#takeChange();
    contents.onChange(() => this.#takeChange());
    this.#timer = setInterval(() => this.sweep(), Math.min(maxInterval, idleMilliseconds)).unref();
  }

  /** Records that a content is chosen for a request. */
  use(entry: ContentEntry): void {
    const isNew = !this.#inUse.has(entry);
    const now = Date.now();
    this.#inUse.set(entry, now);
    entry.lastUse[0] = now;
    if (isNew) this.#divide();
  }

  /** Takes the memory of contents that have become idle. */
  sweep(now = Date.now()): void {
    if (this.#contents.all.length === 1) return;
    let isChanged = false;
    for (const [entry, lastUse] of this.#inUse) {
      if (now - lastUse < this.#idleMilliseconds) continue;
      this.#inUse.delete(entry);
      giveUp(entry);
      isChanged = true;
    }
    if (isChanged) this.#divide();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Forgets removed contents. A new one holds nothing before its first request. */
  #takeChange(): void {
    for (const entry of this.#inUse.keys()) if (this.#contents.get(entry.name) !== entry) this.#inUse.delete(entry);
    for (const entry of this.#contents.all) if (!this.#inUse.has(entry)) giveUp(entry);
    this.#divide();
  }

  /** Previews have no caches, so only contents get shares. */
  #divide(): void {
    const contents = [...this.#inUse.keys()].flatMap(({ content }) => content ?? []);
    for (const { history } of contents) history.served.takeShare(1 / contents.length);
  }
}

/** Frees the memory that an idle content does not need. */
function giveUp({ content, preview }: ContentEntry): void {
  content?.history.served.takeShare(0);
  preview?.release();
}
