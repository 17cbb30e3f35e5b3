import { encodeTransaction, maxPayloadBytes, type Transaction } from './format.ts';

/** Length from which a record takes no further append, in characters. Bounds the time of a write. */
const fullRecordLength = 2 ** 23;

/** An append that waits to be written. */
export interface PendingAppend {
  /** Transactions in JSON, separated by commas. */
  readonly json: string;
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
    requirePayload(json);
    this.#lastSequence = lastSequence;
    return new Promise((resolve, reject) => this.#pending.push({ json, lastSequence, resolve, reject }));
  }

  /** Removes and returns the appends that go into the next record: all up to a size, at least one. */
  takeGroup(): PendingAppend[] {
    let length = 0;
    const next = this.#pending.findIndex(({ json }, i) => (length += json.length) > fullRecordLength && i > 0);
    return this.#pending.splice(0, next < 0 ? this.#pending.length : next);
  }

  /** Removes and returns all appends. The next transaction follows `lastSequence`. */
  reset(epoch: number, lastSequence: number): PendingAppend[] {
    this.#epoch = epoch;
    this.#lastSequence = lastSequence;
    return this.#pending.splice(0);
  }
}

/** Throws a RangeError for transactions that do not fit into a record, with two brackets around them. */
function requirePayload(json: string): void {
  const limit = maxPayloadBytes - 2;
  // a UTF-16 unit takes three bytes at most, so that they are rarely counted
  if (json.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(json);
  if (bytes > limit) throw new RangeError(`appended ${bytes} bytes of transactions; the limit is ${limit}`);
}
