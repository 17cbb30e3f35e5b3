import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { WriteCompacted } from '../../src/changes/compact/compact-in-thread.ts';
import type { Content } from '../../src/content/content.ts';
import type { ChangeAnswer } from '../../src/content/live/change-request.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import type { ContentWithJournal } from '../../src/content/live/open-journal.ts';
import { RequestError } from '../../src/core/errors.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openJournaled, writeOn } from '../support/journaled.ts';
import { loadShared } from '../support/open-shared.ts';

const snapshotOf = (title: string): JsonSnapshot =>
  thingSnapshot({ title: { type: 'string' } }, [
    { documentId: 'a', title },
    { documentId: 'b', title },
  ]);

/** Snapshots that are served one after the other, without the changes to the one before. */
const snapshots = ['first', 'second', 'third'].map((title) => ({ title, snapshot: snapshotOf(title) }));

/** A request that was sent. */
interface Sent {
  readonly title: string;
  /** The number of the snapshot that it changes. */
  readonly snapshot: number;
  state: 'answered' | 'refused' | 'unknown';
  answer: ChangeAnswer | null;
}

/**
 * A small server whose journal is on a simulated disk, and is compacted after each change unless a compaction is running.
 * Each change gives both documents its own title. After each start, the content must be that of the last answered change,
 * or of a later one of which nobody knows.
 */
export class Site {
  readonly #disk: SimulatedDisk;
  #running: { readonly content: Content; readonly changes: ChangeWriter } | null = null;
  readonly #sent: Sent[] = [];
  /** The number of the snapshot that is served. */
  #snapshot = 0;
  /** Whether the next one may be served instead, since serving it was interrupted. */
  #mayBeNext = false;
  #hasFailed = false;
  #writing: Promise<unknown> = Promise.resolve();
  /** Compactions that ended well. */
  compactions = 0;

  constructor(disk: SimulatedDisk) {
    this.#disk = disk;
  }

  /** Goes on after a failure or a crash, and starts again until that succeeds. */
  async recover(): Promise<void> {
    if (this.#hasFailed) await this.stop();
    for (;;) {
      if (this.#disk.stoppedBy) await this.crash(this.#disk.stoppedBy);
      if (this.#running) return;
      const first = this.#disk.calls;
      const opened = await this.#openEither().catch((error) => {
        if (!this.#disk.stoppedBy && !this.#hadFault(first)) throw error;
        return null;
      });
      if (opened) await this.#start(opened);
    }
  }

  async #start({ content, opened }: ContentWithJournal): Promise<void> {
    await this.#check(content);
    const write: WriteCompacted = (...given) => {
      const written = writeOn(this.#disk.files)(...given);
      this.#writing = written.catch(() => {});
      return written;
    };
    const changes = new ChangeWriter(content, async () => {}, opened, { limit: 1, write, now: () => 0 });
    this.#running = { content, changes };
    await this.#repeat(changes);
  }

  /** Opens the journal with the snapshot that it belongs to. */
  async #openEither(): Promise<ContentWithJournal> {
    const open = (number: number) => openJournaled(this.#disk, snapshots[number].snapshot);
    const opened = open(this.#snapshot);
    if (!this.#mayBeNext) return opened;
    return opened.catch(async (error: Error) => {
      if (!/belongs to/.test(error.message)) throw error;
      const next = await open(this.#snapshot + 1);
      this.#snapshot++;
      this.#mayBeNext = false;
      return next;
    });
  }

  async #check(content: Content): Promise<void> {
    const { data } = content.find('things');
    const titles = (data as { title: string }[]).map(({ title }) => title);
    const sent = this.#sent.filter(({ snapshot }) => snapshot === this.#snapshot);
    const lastAnswered = sent.findLastIndex(({ state }) => state === 'answered');
    const given = lastAnswered < 0 ? snapshots[this.#snapshot].title : sent[lastAnswered].title;
    const later = sent.slice(lastAnswered + 1).filter(({ state }) => state === 'unknown');
    expect([given, ...later.map(({ title }) => title)]).toContain(titles[0]);
    expect(titles).toEqual([titles[0], titles[0]]);
    const found = sent.findIndex(({ title }) => title === titles[0]);
    for (const [i, each] of sent.entries())
      if (each.state === 'unknown') each.state = i === found ? 'answered' : 'refused';
    const applied = sent.filter(({ state }) => state === 'answered').length;
    expect(content.history.version.sequence).toBe(applied);
  }

  /** Answered requests that are sent again get the same answer. */
  async #repeat(changes: ChangeWriter): Promise<void> {
    for (const sent of this.#sent.filter(({ answer }) => answer !== null)) {
      expect(await this.#send(changes, sent.title)).toEqual(sent.answer);
    }
  }

  #send(changes: ChangeWriter, title: string): Promise<ChangeAnswer> {
    const given = ['a', 'b'].map((documentId) => ({ upsert: 'api::thing.thing', entry: { documentId, title } }));
    const request = { previous: null, form: 'changes', given } as const;
    return changes.change(request, { key: `key of ${title}`, digest: title });
  }

  /** Sends a change. */
  async change(): Promise<void> {
    const { changes } = this.#running!;
    const sent: Sent = {
      title: `change ${this.#sent.length + 1}`,
      snapshot: this.#snapshot,
      state: 'unknown',
      answer: null,
    };
    this.#sent.push(sent);
    try {
      sent.answer = await this.#send(changes, sent.title);
      sent.state = 'answered';
    } catch (error) {
      const { status, message } = error as RequestError;
      if (!this.#disk.stoppedBy && !(error instanceof RequestError)) throw error;
      if (!this.#disk.stoppedBy && !message.includes('may appear')) sent.state = 'refused';
      this.#hasFailed ||= status !== 507;
    }
  }

  /** Waits until no compaction is running. */
  async compacted(): Promise<void> {
    for (let calls = -1; calls !== this.#disk.calls; ) {
      calls = this.#disk.calls;
      await this.#writing;
      for (let i = 0; i < 5; i++) await setImmediate();
    }
    const { compactions, failure } = this.#running!.changes.figures.journal!;
    this.compactions += compactions.counts.finished;
    this.#hasFailed ||= failure !== null;
  }

  /** Serves the next snapshot, without the changes. */
  async discard(): Promise<void> {
    const { changes } = this.#running!;
    this.#mayBeNext = true;
    const first = this.#disk.calls;
    try {
      const loaded = await loadShared(snapshots[this.#snapshot + 1].snapshot);
      await changes.reload(loaded, { started: 0, changes: 'discard' });
      this.#snapshot++;
      this.#mayBeNext = false;
    } catch (error) {
      const { failure } = changes.figures.journal!;
      if (!this.#disk.stoppedBy && !this.#hadFault(first) && failure === null) throw error;
      this.#hasFailed ||= failure !== null;
      this.#mayBeNext = this.#disk.stoppedBy !== null || failure !== null;
    }
  }

  /** Stops as a server does. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#hasFailed = false;
    await running?.changes.close().catch(() => {});
  }

  /** Ends the process or the machine at once. */
  async crash(by: 'off' | 'killed'): Promise<void> {
    this.#disk.stoppedBy = by;
    await this.stop();
    this.#disk.restart();
  }

  #hadFault(first: number): boolean {
    return Array.from({ length: this.#disk.calls - first }, (_, i) => first + i).some((i) => this.#disk.faults.has(i));
  }
}
