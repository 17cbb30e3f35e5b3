/** A content that is changed, with a journal on a simulated disk, and threads that answer from it. All are in this thread. */

import type { Journal } from '../../src/changes/journal/journal.ts';
import { Content } from '../../src/content/content.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { openContentJournal } from '../../src/content/live/content-journal.ts';
import { type ContentEntry, Contents, createEntry } from '../../src/content/registry/contents.ts';
import { sharedAllocator } from '../../src/core/memory/allocator.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { DescribedContents } from '../../src/server/threads/described-contents.ts';
import type { EntryChange } from '../../src/server/threads/messages.ts';
import { SpreadContents } from '../../src/server/threads/threaded-server.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { compactHere } from '../support/compact-here.ts';
import { thingSnapshot } from '../support/guide.ts';
import { journalPath } from '../support/journaled.ts';

export const thing = 'api::thing.thing';
export const config = configSchema.parse({ public: true, tolerance: 'tolerant' });

export const thingsSnapshot = (count: number) => {
  const friends = { type: 'relation', relation: 'manyToMany', target: thing, inversedBy: 'fans' };
  const fans = { type: 'relation', relation: 'manyToMany', target: thing, mappedBy: 'friends' };
  const entries = Array.from({ length: count }, (_, i) => ({
    documentId: `d${i}`,
    name: `thing ${i}`,
    friends: [`d${(i + 1) % count}`],
  }));
  return thingSnapshot({ name: { type: 'string' }, friends, fans }, entries);
};

/** A thread that answers requests. */
class AnsweringThread {
  contents!: Contents;
  readonly #described = new DescribedContents({
    config,
    unpack: () => {
      throw new Error('there are no archives');
    },
    serve: (contents) => (this.contents = contents),
  });

  /** Messages are cloned, but not their shared memory. */
  change(changes: readonly EntryChange[]): Promise<void> {
    return this.#described.change(structuredClone(changes));
  }

  get content(): Content | null {
    return this.contents?.first.content ?? null;
  }
}

export class ThreadedSite {
  readonly content: Content;
  readonly journal: Journal;
  readonly changes: ChangeWriter;
  readonly threads: AnsweringThread[] = [];
  readonly #spread = new SpreadContents(async (changes) => {
    await Promise.all(this.threads.map((thread) => thread.change(changes)));
  });

  constructor(content: Content, opened: Awaited<ReturnType<typeof openContentJournal>>) {
    this.content = content;
    this.journal = opened.journal;
    const entry: ContentEntry = createEntry({ name: 'main', content, error: null, put: null });
    const contents = new Contents(entry);
    this.#spread.follow(content);
    void this.#spread.serve(contents);
    this.changes = new ChangeWriter(content, (...delivered) => contents.apply(entry, ...delivered), opened);
  }

  static async open(disk: SimulatedDisk, count: number, beforeCompacting = async () => {}): Promise<ThreadedSite> {
    const loaded = await loadSnapshot(thingsSnapshot(count), { dialect: 'document', allocator: sharedAllocator });
    const opened = await openContentJournal(journalPath, loaded, disk.files);
    const compact: typeof compactHere = async (...given) => {
      await beforeCompacting();
      return compactHere(...given);
    };
    const { epoch } = opened.journal.base;
    const versioned = { ...loaded, version: { epoch, sequence: 0 } };
    return new ThreadedSite(new Content(versioned, config, 0, { compactions: { compact, limits: null } }), opened);
  }

  start(): Promise<void> {
    const thread = new AnsweringThread();
    this.threads.push(thread);
    return thread.change(this.#spread.entries().map((entry) => ({ kind: 'set', entry })));
  }

  change(given: unknown) {
    return this.changes.change({ previous: null, form: 'changes', given }, null);
  }
}
