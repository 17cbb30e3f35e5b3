import assert from 'node:assert/strict';
import { JournalError, JournalFull } from '../../src/changes/journal/errors.ts';
import type { ContentIdentity, JournalBase, Transaction } from '../../src/changes/journal/format.ts';
import { imageName } from '../../src/changes/journal/images.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import { writeAtomically } from '../../src/core/write-file.ts';
import { folder, type SimulatedDisk } from './simulated-disk.ts';

const path = `${folder}/changes`;

/** What became of an append, by what the journal has answered. */
interface Append {
  readonly epoch: number;
  /** Unique in a workload. */
  readonly names: readonly string[];
  readonly firstSequence: number;
  state: 'waiting' | 'kept' | 'not kept' | 'unknown';
}

/**
 * Uses a journal on a simulated disk as a server does, and checks after each opening what is there. Each transaction has a
 * name; an image holds the names of all transactions of its epoch. So image and journal together are the history.
 */
export class Workload {
  readonly #disk: SimulatedDisk;
  #journal: Journal | null = null;
  /** Whether the journal has to be opened again. */
  hasFailed = false;
  #appends: Append[] = [];
  readonly #settled: Promise<void>[] = [];
  #lastName = 0;
  /** The contents that the journal may belong to, the newest last. */
  #contents: ContentIdentity[] = [{ epoch: 1, version: 'start' }];
  /** With which each epoch begins. */
  readonly #begun = new Map<number, readonly string[]>();
  /** The history of the epoch, as far as it is certain. */
  #history: readonly string[] = [];

  constructor(disk: SimulatedDisk) {
    this.#disk = disk;
  }

  get sequence(): number {
    return this.#journal?.sequence ?? 0;
  }

  get baseSequence(): number {
    return this.#journal?.base.sequence ?? 0;
  }

  /** Starts what has stopped, and opens the journal if it is closed or has failed. */
  async recover(): Promise<void> {
    if (this.hasFailed) await this.close();
    do {
      if (this.#disk.stoppedBy) await this.stop(this.#disk.stoppedBy);
      if (!this.#journal) await this.open();
    } while (!this.#journal);
  }

  /** Opens the journal and checks the history. Without a fault on the way, this must succeed. */
  async open(): Promise<void> {
    const first = this.#disk.calls;
    try {
      const { journal, transactions } = await this.#openAny();
      this.#journal = journal;
      this.#check(journal, transactions);
    } catch (error) {
      if (!this.#disk.stoppedBy && !this.#hadFault(first)) throw error;
    }
  }

  /** Appends that many transactions at once. `settle` waits for the answer. */
  append(count: number): void {
    if (!this.#journal) return;
    const { epoch } = this.#journal.base;
    const names = Array.from({ length: count }, () => `name ${++this.#lastName}`);
    const last = this.#appends.findLast((each) => each.epoch === epoch && each.state === 'waiting');
    const firstSequence = last ? last.firstSequence + last.names.length : this.#journal.sequence + 1;
    const transactions = names.map((name, i) => this.#transaction(epoch, firstSequence + i, name));
    const append: Append = { epoch, names, firstSequence, state: 'waiting' };
    this.#appends.push(append);
    const settled = this.#journal.append(transactions).then(
      () => {
        append.state = 'kept';
      },
      (error: JournalError) => {
        const isUnknown = this.#disk.stoppedBy !== null || error.mayBeKept;
        append.state = isUnknown ? 'unknown' : 'not kept';
        this.hasFailed ||= !(error instanceof JournalFull);
      },
    );
    this.#settled.push(settled);
  }

  /** Waits for all answers. */
  async settle(): Promise<void> {
    await Promise.all(this.#settled.splice(0));
  }

  /** Writes an image of all transactions up to `after` and starts a journal for it, with an append that waits behind. */
  async rotate(after: number): Promise<void> {
    const journal = this.#journal;
    if (!journal || after < journal.base.sequence) return;
    const first = this.#disk.calls;
    const { epoch } = journal.base;
    const image = imageName(path, { epoch, sequence: after });
    const names = this.#kept(epoch, 'waiting').slice(0, after);
    try {
      await writeAtomically(`${folder}/${image}`, [Buffer.from(JSON.stringify(names))], this.#disk.files);
      const rotated = journal.rotate({ epoch, version: `after ${after}`, sequence: after, image }, after);
      this.append(1);
      await rotated;
    } catch (error) {
      this.#judge(error, first);
    }
  }

  /** Starts the next epoch from a given content, as a change of the schema does, with transactions of its own. */
  async beginEpoch(count: number): Promise<void> {
    await this.settle();
    const journal = this.#journal;
    if (!journal) return;
    const first = this.#disk.calls;
    const base: JournalBase = { epoch: journal.base.epoch + 1, version: 'new schema', sequence: 0, image: null };
    this.#contents.push(base);
    const names = Array.from({ length: count }, () => `name ${++this.#lastName}`);
    const transactions = names.map((name, i) => this.#transaction(base.epoch, i + 1, name));
    const begun: Append = { epoch: base.epoch, names, firstSequence: 1, state: 'unknown' };
    this.#appends.push(begun);
    this.#begun.set(base.epoch, names);
    try {
      await journal.rotate(base, journal.sequence, undefined, transactions);
      begun.state = 'kept';
      this.#contents = [base];
      this.#history = names;
    } catch (error) {
      this.#judge(error, first);
    }
  }

  async close(): Promise<void> {
    await this.settle();
    const journal = this.#journal;
    this.#journal = null;
    this.hasFailed = false;
    await journal?.close();
  }

  /** Stops process or machine and starts it again. */
  async stop(by: 'off' | 'killed'): Promise<void> {
    this.#disk.stoppedBy = by;
    await this.close().catch(() => {});
    this.#disk.restart();
  }

  /** A rotation fails only by a fault, or because the journal has failed. */
  #judge(error: unknown, first: number): void {
    const isFailure = error instanceof JournalError && !(error instanceof JournalFull);
    this.hasFailed ||= isFailure;
    if (!this.#disk.stoppedBy && !this.#hadFault(first) && !isFailure) throw error;
  }

  #hadFault(first: number): boolean {
    return Array.from({ length: this.#disk.calls - first }, (_, i) => first + i).some((i) => this.#disk.faults.has(i));
  }

  async #openAny() {
    const { files } = this.#disk;
    const open = (base: ContentIdentity) => Journal.open(path, { base, files });
    const [oldest, newest] = [this.#contents[0], this.#contents[this.#contents.length - 1]];
    return open(oldest).catch((error: Error) => {
      if (oldest === newest || !/belongs to/.test(error.message)) throw error;
      return open(newest);
    });
  }

  #check(journal: Journal, transactions: readonly Transaction[]): void {
    const { epoch, sequence, image } = journal.base;
    if (epoch !== this.#contents[0].epoch) this.#history = [];
    this.#contents = this.#contents.filter((content) => content.epoch === epoch);
    const inImage: string[] = image === null ? [] : JSON.parse(this.#disk.read(image));
    assert.equal(inImage.length, sequence);
    const history = [...inImage, ...transactions.map(({ changes }) => changes as string)];
    const expected = transactions.map((_, i) => this.#transaction(epoch, sequence + 1 + i, history[sequence + i]));
    assert.deepEqual(transactions, expected);
    assert.deepEqual(history.slice(0, this.#history.length), this.#history);
    const begun = this.#begun.get(epoch) ?? [];
    assert.deepEqual(history.slice(0, begun.length), begun);
    const wrong: Append[] = [];
    for (const append of this.#appends.filter((each) => each.epoch === epoch)) {
      const { names, state, firstSequence } = append;
      const isThere = names.every((name, i) => history[firstSequence - 1 + i] === name);
      const isInPart = !isThere && names.some((name) => history.includes(name));
      if (isInPart || (state === 'kept' && !isThere) || (state === 'not kept' && isThere)) wrong.push({ ...append });
      append.state = isThere ? 'kept' : 'not kept';
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(history, this.#kept(epoch));
    const besideJournal = this.#disk.names.filter((name) => /\.image$|^\./.test(name));
    assert.deepEqual(besideJournal, image === null ? [] : [image]);
    this.#history = history;
  }

  #kept(epoch: number, orState?: Append['state']): string[] {
    return this.#appends
      .filter((append) => append.epoch === epoch && (append.state === 'kept' || append.state === orState))
      .flatMap(({ names }) => names);
  }

  #transaction(epoch: number, sequence: number, name: string): Transaction {
    const isOdd = sequence % 2 === 1;
    return {
      epoch,
      sequence,
      previous: isOdd ? null : `${epoch}-${sequence - 1}`,
      changes: name,
      ...(isOdd && { idempotencyKey: `key of ${name}`, answer: { sequence } }),
    };
  }
}
