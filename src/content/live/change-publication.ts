import { isDeepStrictEqual } from 'node:util';
import type { LoggedChange } from '../../changes/log/logged-change.ts';
import type { VersionedSnapshot } from '../../load/loaded.ts';
import type { PublishedContent, Publisher } from '../publishing/publisher.ts';
import { Publishing } from '../publishing/publishing.ts';
import { Unpublished } from '../publishing/publishing-errors.ts';
import type { LoggedTransaction } from './content-journal.ts';

/**
 * The publication of a content whose changes are made one at a time. Without one, every function does nothing. A change that
 * may be in the log and is not served is found out about before another is made.
 */
export class ChangePublication {
  /** Null before `begin`. */
  #publishing: Publishing | null = null;
  #hasBegun = false;
  #unsettled: LoggedTransaction | null = null;

  /** Why nothing can be published, or null; null if the content is not published. */
  get figures(): { readonly failure: string | null } | null {
    return this.#published && { failure: this.#published.publisher.failure };
  }

  /** Makes content and publication equal. From then on, changes are published. Rejects as `Publisher.begin` does. */
  async begin(
    publisher: Publisher,
    content: PublishedContent,
    between: (task: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const publishing = new Publishing(publisher, content, between);
    this.#publishing = publishing;
    await between(() => publishing.begin());
    this.#hasBegun = true;
  }

  /** As `Publisher.settle`. */
  async settle(): Promise<void> {
    await this.#published?.settle();
  }

  /** Finds out about the last change if its outcome is unknown, and returns whether it was. */
  async settleUnknown(): Promise<boolean> {
    if (!this.#unsettled) return false;
    await this.settle();
    return true;
  }

  /** Writes a change to the log, and then keeps it. Rejects as `Publisher.append` and as `keep` do. */
  async append(transaction: LoggedTransaction, keep: () => Promise<void>): Promise<void> {
    const { epoch, sequence, digests, changes } = transaction;
    try {
      await this.#published?.append({ epoch, sequence, digests, changes });
    } catch (error) {
      if (error instanceof Unpublished && error.mayBePublished) this.#unsettled = transaction;
      throw error;
    }
    if (this.#published) this.#unsettled = transaction;
    await keep();
    this.#unsettled = null;
  }

  /** Keeps a change of the log: as the request that made it, if that was made here. */
  async take(
    { digests }: LoggedChange,
    transaction: LoggedTransaction,
    keep: (kept: LoggedTransaction) => Promise<void>,
  ): Promise<LoggedTransaction> {
    const isOwn = this.#unsettled !== null && isDeepStrictEqual(this.#unsettled.digests, digests);
    const kept = isOwn ? this.#unsettled! : transaction;
    await keep(kept);
    this.#unsettled = null;
    return kept;
  }

  /** As `Publisher.pin`. */
  async pin(loaded: VersionedSnapshot | null): Promise<void> {
    await this.#published?.publisher.pin(loaded);
  }

  /** As `Publishing.changed`. */
  changed(): void {
    this.#published?.changed();
  }

  /** Ends a `begin` that waits, which rejects, and publishes no more. */
  async close(): Promise<void> {
    await this.#publishing?.close();
  }

  get #published(): Publishing | null {
    return this.#hasBegun ? this.#publishing : null;
  }
}
