import { encodeTransaction, maxPayloadBytes } from './format.ts';
import type { Transaction } from './transaction.ts';

/** Size from which a record takes no further append, in bytes. Bounds the time of a write. */
const fullRecordBytes = 2 ** 23;

/** An append that waits to be written. */
export interface PendingAppend {
  /** Transactions in JSON, separated by commas. */
  readonly json: string;
  readonly bytes: number;
  readonly lastSequence: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Appends in order. Checks that their transactions continue those before. */
export class AppendQueue {
  #pending: PendingAppend[] = [];
  #epoch!: number;
  #lastSequence!: number;

  constructor(epoch: number, lastSequence: number) {
    this.reset(epoch, lastSequence);
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** The last transaction that was added, written or not. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Adds an append of one or more transactions, which settles when the one who takes it settles it. */
  add(transactions: readonly Transaction[]): Promise<void> {
    let lastSequence = this.#lastSequence;
    for (const { epoch, sequence } of transactions) {
      lastSequence++;
      if (epoch === this.#epoch && sequence === lastSequence) continue;
      throw new Error(`appended transaction ${epoch}-${sequence}, expected ${this.#epoch}-${lastSequence}`);
    }
    const json = transactions.map(encodeTransaction).join(',');
    const bytes = Buffer.byteLength(json);
    // two brackets surround the transactions of a record
    if (bytes + 2 > maxPayloadBytes) {
      throw new RangeError(`appended ${bytes} bytes of transactions; the limit is ${maxPayloadBytes - 2}`);
    }
    this.#lastSequence = lastSequence;
    return new Promise((resolve, reject) => this.#pending.push({ json, bytes, lastSequence, resolve, reject }));
  }

  /** Removes and returns the appends that go into the next record: all up to a size, at least one. */
  takeGroup(): PendingAppend[] {
    let bytes = 0;
    const next = this.#pending.findIndex((append, i) => (bytes += append.bytes) > fullRecordBytes && i > 0);
    return this.#pending.splice(0, next < 0 ? this.#pending.length : next);
  }

  /** Removes and returns all appends. The next transaction follows `lastSequence`. */
  reset(epoch: number, lastSequence: number): PendingAppend[] {
    this.#epoch = epoch;
    this.#lastSequence = lastSequence;
    return this.#pending.splice(0);
  }
}
