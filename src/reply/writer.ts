import { ValidationError } from '../errors.ts';

/** The most that one reply may hold. */
export interface Budgets {
  /** Entries, components and files. */
  readonly nodes: number;
  readonly bytes: number;
}

/** A larger buffer than this is not kept for the next reply. */
const keptBytes = 4 * 2 ** 20;

/**
 * The bytes of one reply as it grows. Throws a ValidationError when a budget would be passed. One writer serves reply
 * after reply, each begun by start() and ended by finish(), so that its buffer need not grow each time.
 */
export class ReplyWriter {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;
  #nodes = 0;
  readonly #budgets: Budgets;

  constructor(budgets: Budgets) {
    this.#budgets = budgets;
  }

  /** Begins a reply. What was written of one that failed is gone. */
  start(): void {
    this.#length = 0;
    this.#nodes = 0;
  }

  /** Counts one more entry, component or file. */
  countNode(): void {
    if (++this.#nodes > this.#budgets.nodes) {
      throw new ValidationError(
        `The reply would hold more than ${this.#budgets.nodes} entries (budgets.nodes): populate less, or take smaller pages`,
        { limit: this.#budgets.nodes, setting: 'budgets.nodes' },
      );
    }
  }

  /** How many bytes have been written. */
  get length(): number {
    return this.#length;
  }

  /** Puts another byte in the place of one that has been written. */
  replace(at: number, value: number): void {
    this.#buffer[at] = value;
  }

  /** Appends bytes `start` up to `end` of `source`. */
  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    source.copy(this.#buffer, this.#length, start, end);
    this.#length += end - start;
  }

  append(bytes: Buffer): void {
    this.copy(bytes, 0, bytes.length);
  }

  /** Appends one byte. */
  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** What has been written, as bytes of their own. */
  finish(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    this.#buffer.copy(bytes, 0, 0, this.#length);
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(keptBytes);
    return bytes;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed > this.#budgets.bytes) {
      throw new ValidationError(
        `The reply would take more than ${this.#budgets.bytes} bytes (budgets.bytes): populate less, or take smaller pages`,
        { limit: this.#budgets.bytes, setting: 'budgets.bytes' },
      );
    }
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
