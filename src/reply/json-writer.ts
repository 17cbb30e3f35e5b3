import type { CostBudget } from '../base/cost-budget.ts';
import { ValidationError } from '../base/errors.ts';
import { acquireBuffer, copyOut, releaseBuffer } from './buffer-pool.ts';
import { byteCost, copyCost, nodeCost } from './cost.ts';
import type { SizeEstimate } from './size-estimate.ts';

/** The most that one reply may hold. */
export interface Budgets {
  /** Entries, components and files. */
  readonly nodes: number;
  readonly bytes: number;
}

/** Small replies stand one behind the other in slabs of this many bytes: a slow client holds the slab of its reply. */
const slabBytes = 64 * 1024;

/** A reply that grows beyond this gets a room of its own. */
const smallReply = 8 * 1024;

/** Where less than this is left of a slab, the next one is begun. */
const leastBytes = 4 * 1024;

/** A reply that grows beyond this is counted ahead. */
const longReply = 2 ** 20;

/** What is added to the bytes that were foreseen, for those that were not. */
const unforeseen = 1.05;

/**
 * The bytes of one reply as it grows. Throws a ValidationError when a budget would be passed. One writer serves reply
 * after reply, each begun by start() and ended by finish().
 */
export class JsonWriter {
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  /** Where the next reply begins in the slab. */
  #free = 0;
  /** The slab, or a room of the reply's own: where the reply is written. */
  #buffer: Buffer = this.#slab;
  /** Where the reply begins in it, and the place after its last byte. */
  #start = 0;
  #end = 0;
  /** How far it can go on without more room and without passing its budget of bytes. */
  #limit = 0;
  #nodes = 0;
  #work: CostBudget | null = null;
  /** What all entries of the reply will take, where that has not been asked yet. */
  #foresee: ((mostSteps: number) => SizeEstimate) | null = null;
  /** Steps that were left, and bytes that were written, when the first of them was begun. */
  #left = 0;
  #before = 0;
  readonly #budgets: Budgets;

  constructor(budgets: Budgets) {
    this.#budgets = budgets;
  }

  /**
   * Begins a reply, whose writing is part of a request's work. Those like it took `expected` bytes, if there were any.
   * What was written of one that failed is gone.
   */
  start(work: CostBudget, expected = 0): void {
    this.#work = work;
    this.#foresee = null;
    this.#nodes = 0;
    // one that failed may have left its room
    if (this.#buffer !== this.#slab) releaseBuffer(this.#buffer);
    if (expected > smallReply) {
      this.#buffer = acquireBuffer(Math.min(expected, longReply));
      this.#start = 0;
      this.#end = 0;
      this.#setLimit(this.#buffer.length);
      return;
    }
    if (this.#slab.length - this.#free < leastBytes) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#free = 0;
    }
    this.#buffer = this.#slab;
    this.#start = this.#free;
    this.#end = this.#free;
    this.#setLimit(Math.min(this.#start + smallReply, slabBytes));
  }

  #setLimit(end: number): void {
    this.#limit = Math.min(end, this.#start + this.#budgets.bytes);
  }

  /**
   * Says how to count ahead what the entries that follow take: it is done if they turn out many. What is counted need
   * not be all.
   */
  expect(foresee: (mostSteps: number) => SizeEstimate): void {
    this.#foresee = foresee;
    this.#left = this.#work!.remaining;
    this.#before = this.length;
  }

  /** Counts what is looked at to write the next part. Throws a ValidationError past the budget. */
  charge(steps: number): void {
    this.#work!.charge(steps);
  }

  /** Counts one more entry, component or file. */
  countNode(): void {
    this.#work!.charge(nodeCost);
    this.#checkNodes(++this.#nodes);
  }

  #checkNodes(nodes: number): void {
    if (nodes > this.#budgets.nodes) {
      throw new ValidationError(
        `The reply would hold more than ${this.#budgets.nodes} entries (budgets.nodes): populate less, or take smaller pages`,
        { limit: this.#budgets.nodes, setting: 'budgets.nodes' },
      );
    }
  }

  /** How many bytes have been written. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Puts another byte in the place of one that has been written. */
  replace(at: number, value: number): void {
    this.#buffer[this.#start + at] = value;
  }

  /** Appends bytes `start` up to `end` of `source`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#work!.charge(copyCost + (end - start) * byteCost);
    this.#reserve(end - start);
    this.#buffer.set(source.subarray(start, end), this.#end);
    this.#end += end - start;
  }

  /** Appends what is short. */
  append(bytes: Buffer): void {
    this.#work!.charge(copyCost + bytes.length * byteCost);
    this.frame(bytes);
  }

  /** The same of what stands around entries and is counted with them. */
  frame(bytes: Buffer): void {
    // single bytes are written sooner than native code is called
    this.#reserve(bytes.length);
    const buffer = this.#buffer;
    let end = this.#end;
    for (let i = 0; i < bytes.length; i++) buffer[end++] = bytes[i];
    this.#end = end;
  }

  /** Appends one byte. */
  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#end++] = value;
  }

  /** Appends a whole number that is not negative. */
  number(value: number): void {
    this.#work!.charge(copyCost);
    let digits = 1;
    for (let above = 10; above <= value; above *= 10) digits++;
    this.#reserve(digits);
    this.#end += digits;
    let rest = value;
    for (let at = this.#end - 1; digits > 0; at--, digits--) {
      this.#buffer[at] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }

  text(text: string): void {
    this.#reserve(Buffer.byteLength(text));
    this.#end += this.#buffer.write(text, this.#end);
  }

  /**
   * What has been written. It stands in a slab or in a room: who keeps it keeps either, or makes it `owned`; who has
   * sent it may give it back.
   */
  finish(): Buffer {
    const bytes = this.#buffer.subarray(this.#start, this.#end);
    if (this.#buffer === this.#slab) {
      this.#free = this.#end;
      return bytes;
    }
    this.#buffer = this.#slab;
    // shorter than those like it
    return bytes.length * 4 < bytes.buffer.byteLength ? copyOut(bytes) : bytes;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes > this.#limit) this.#makeRoom(bytes);
  }

  #checkLength(bytes: number): void {
    if (bytes <= this.#budgets.bytes) return;
    throw new ValidationError(
      `The reply would take more than ${this.#budgets.bytes} bytes (budgets.bytes): populate less, or take smaller pages`,
      { limit: this.#budgets.bytes, setting: 'budgets.bytes' },
    );
  }

  #makeRoom(bytes: number): void {
    const needed = this.length + bytes;
    this.#checkLength(needed);
    const larger = acquireBuffer(Math.max(needed, needed > longReply ? this.#longLength(needed) : 0));
    this.#buffer.copy(larger, 0, this.#start, this.#end);
    releaseBuffer(this.#buffer);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = larger;
    this.#setLimit(larger.length);
  }

  /** As much as was foreseen, or twice as much as is needed, but no more than a reply may take. */
  #longLength(needed: number): number {
    const foreseen = this.#foreseenBytes();
    return Math.min(foreseen > needed ? foreseen : needed * 2, this.#budgets.bytes);
  }

  /** Throws a ValidationError where a budget will be passed. 0 if nothing is foreseen, or has been before. */
  #foreseenBytes(): number {
    if (!this.#foresee) return 0;
    const { nodes, bytes, steps, counting } = this.#foresee(this.#left);
    this.#foresee = null;
    this.#work!.charge(counting);
    if (steps + counting > this.#left) this.#work!.charge(steps);
    this.#checkNodes(nodes);
    this.#checkLength(this.#before + bytes);
    return Math.ceil((this.#before + bytes) * unforeseen);
  }
}
