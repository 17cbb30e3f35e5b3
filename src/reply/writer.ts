import { ValidationError } from '../errors.ts';
import type { Work } from '../store/work.ts';
import { byteCost, copyCost, nodeCost } from './cost.ts';
import type { Extent } from './extent.ts';

/** The most that one reply may hold. */
export interface Budgets {
  /** Entries, components and files. */
  readonly nodes: number;
  readonly bytes: number;
}

/**
 * Small replies stand one behind the other in slabs of this many bytes: a slow client holds the slab of its reply.
 * What a slab has no room for is written into a buffer that is kept.
 */
const slabBytes = 64 * 1024;

/** A reply of so many bytes is worth bytes of its own. */
const largeReply = 16 * 1024;

/** A buffer for large replies is kept if it is no larger than this. */
const keptBytes = 2 ** 20;

/** What is added to the bytes that were foreseen, for those that were not. */
const unforeseen = 1.05;

/** Where less than this is left of a slab, the next one is begun. */
const leastBytes = 4 * 1024;

/**
 * The bytes of one reply as it grows. Throws a ValidationError when a budget would be passed. One writer serves reply
 * after reply, each begun by start() and ended by finish().
 */
export class ReplyWriter {
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  /** Where the next reply begins in the slab. */
  #free = 0;
  /** For replies that a slab cannot hold: new memory costs more than all that is written into it. */
  #large = Buffer.alloc(0);
  /** The slab or the large buffer: where the reply is written. */
  #buffer = this.#slab;
  /** Where the reply begins in it, and the place after its last byte. */
  #start = 0;
  #end = 0;
  #nodes = 0;
  #work: Work | null = null;
  /** What all entries of the reply will take, where that has not been asked yet. */
  #foresee: ((mostSteps: number) => Extent) | null = null;
  /** Steps that were left, and bytes that were written, when the first of them was begun. */
  #left = 0;
  #before = 0;
  readonly #budgets: Budgets;

  constructor(budgets: Budgets) {
    this.#budgets = budgets;
  }

  /** Begins a reply, whose writing is part of a request's work. What was written of one that failed is gone. */
  start(work: Work): void {
    this.#work = work;
    this.#foresee = null;
    if (this.#slab.length - this.#free < leastBytes) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#free = 0;
    }
    this.#buffer = this.#slab;
    this.#start = this.#free;
    this.#end = this.#free;
    this.#nodes = 0;
    // one that failed may have left it
    this.#dropLarge();
  }

  /**
   * Says how to count ahead what the entries that follow take: it is done if they turn out many. What is counted need
   * not be all.
   */
  expect(foresee: (mostSteps: number) => Extent): void {
    this.#foresee = foresee;
    this.#left = this.#work!.left;
    this.#before = this.length;
  }

  /** Counts what is looked at to write the next part. Throws a ValidationError past the budget. */
  spend(steps: number): void {
    this.#work!.spend(steps);
  }

  /** Counts one more entry, component or file. */
  countNode(): void {
    this.#work!.spend(nodeCost);
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
  copy(source: Buffer, start: number, end: number): void {
    this.#work!.spend(copyCost + (end - start) * byteCost);
    this.#reserve(end - start);
    this.#end += source.copy(this.#buffer, this.#end, start, end);
  }

  append(bytes: Buffer): void {
    this.copy(bytes, 0, bytes.length);
  }

  /** Appends one byte. */
  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#end++] = value;
  }

  text(text: string): void {
    this.#makeRoom(text.length * 3);
    this.#end += this.#buffer.write(text, this.#end);
    this.#checkLength(this.length);
  }

  /** What has been written. If it is small, a part of a slab: who keeps it keeps the slab or a copy (`owned`). */
  finish(): Buffer {
    const bytes = this.#buffer.subarray(this.#start, this.#end);
    if (this.#buffer === this.#large || bytes.length >= largeReply) {
      // a buffer that is not kept, and no longer than was foreseen, is the reply's own
      const isOwn = this.#large.length > keptBytes && bytes.length * unforeseen ** 2 > this.#large.length;
      const own = isOwn ? bytes : copyOf(bytes);
      this.#dropLarge();
      return own;
    }
    this.#free = this.#end;
    return bytes;
  }

  #dropLarge(): void {
    if (this.#large.length > keptBytes) this.#large = Buffer.alloc(0);
  }

  #reserve(bytes: number): void {
    this.#checkLength(this.length + bytes);
    this.#makeRoom(bytes);
  }

  #checkLength(bytes: number): void {
    if (bytes <= this.#budgets.bytes) return;
    throw new ValidationError(
      `The reply would take more than ${this.#budgets.bytes} bytes (budgets.bytes): populate less, or take smaller pages`,
      { limit: this.#budgets.bytes, setting: 'budgets.bytes' },
    );
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const needed = this.length + bytes;
    const isEnough = this.#buffer !== this.#large && needed <= this.#large.length;
    const larger = isEnough ? this.#large : Buffer.allocUnsafeSlow(this.#largeSize(needed));
    this.#buffer.copy(larger, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = larger;
    this.#large = larger;
  }

  /** As much as was foreseen, or twice as much as is needed, but no more than a reply may take. */
  #largeSize(needed: number): number {
    const foreseen = needed > keptBytes ? this.#foreseenBytes() : 0;
    const wanted = foreseen > needed ? foreseen : Math.max(needed, slabBytes) * 2;
    return Math.max(needed, Math.min(wanted, this.#budgets.bytes));
  }

  /** Throws a ValidationError where a budget will be passed. 0 if nothing is foreseen, or has been before. */
  #foreseenBytes(): number {
    if (!this.#foresee) return 0;
    const { nodes, bytes, steps } = this.#foresee(this.#left);
    this.#foresee = null;
    if (steps > this.#left) this.#work!.spend(steps);
    this.#checkNodes(nodes);
    this.#checkLength(this.#before + bytes);
    return Math.ceil((this.#before + bytes) * unforeseen);
  }
}

/** The same bytes with nothing around them that would be kept with them. */
export function owned(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : copyOf(bytes);
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
