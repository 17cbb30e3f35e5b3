/**
 * Seeded pseudo-random numbers: sfc32 ("small fast counter", Chris Doty-Humphrey, PractRand), 128 bits of state.
 * The counter in the state bounds the period from below at 2^32 numbers; its expected length is about 2^127.
 * Each entry draws from a stream of its own (seed, name, index), so a change to one entry or one content type
 * leaves all others as they were.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, name: string, index = 0) {
    this.#a = seed | 0;
    this.#b = hash(name);
    this.#c = index | 0;
    // PractRand's own warm-up for three seed words
    for (let round = 0; round < 15; round++) this.next();
  }

  /** A number in [0, 1), 32 bits. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)];
  }

  /** `make()` with the given probability, else null. */
  maybe<Value>(probability: number, make: () => Value): Value | null {
    return this.chance(probability) ? make() : null;
  }

  /** `count` different items, in random order; all of them if there are fewer. */
  sample<Item>(items: readonly Item[], count: number): Item[] {
    const deck = new Deck(items, this);
    return Array.from({ length: Math.min(count, items.length) }, () => deck.draw()!);
  }

  /** A rank in [0, count), where rank r is drawn about 1 / (r + 1) as often as rank 0 (Zipf, exponent 1). */
  rank(count: number): number {
    return Math.min(count - 1, Math.floor(Math.exp(this.next() * Math.log(count + 1))) - 1);
  }

  /** As `rank`, but popularity does not follow the order of the items. */
  popular(count: number): number {
    return (this.rank(count) * stride(count) + 3) % count;
  }
}

/** Draws each item once, in random order. */
export class Deck<Item> {
  readonly #rest: Item[];
  readonly #random: Random;

  constructor(items: readonly Item[], random: Random) {
    this.#rest = [...items];
    this.#random = random;
  }

  get length(): number {
    return this.#rest.length;
  }

  /** Undefined when nothing is left. */
  draw(): Item | undefined {
    const last = this.#rest.length - 1;
    if (last < 0) return undefined;
    const at = this.#random.integer(0, last);
    const item = this.#rest[at];
    this.#rest[at] = this.#rest[last];
    this.#rest.pop();
    return item;
  }
}

/** Up to `count` different values, in the order in which they come. */
export function distinct(count: number, make: () => string): string[] {
  return [...new Set(Array.from({ length: count }, make))];
}

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value | 0;
}

/** A step that visits each of `count` places once. */
function stride(count: number): number {
  let step = Math.floor(count * 0.618) + 1;
  while (greatestCommonDivisor(step, count) !== 1) step++;
  return step;
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
