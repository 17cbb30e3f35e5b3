/** A set of whole numbers from 0 to size - 1, one bit each. Only bits: it knows nothing of rows or codes. */
export class BitSet {
  readonly size: number;
  readonly words: Uint32Array;

  constructor(size: number, words = new Uint32Array((size + 31) >>> 5)) {
    this.size = size;
    this.words = words;
  }

  static full(size: number): BitSet {
    const set = new BitSet(size);
    set.words.fill(0xffffffff);
    // the bits past the size stay clear: count() and forEach() rely on it
    if (size & 31) set.words[set.words.length - 1] = (1 << (size & 31)) - 1;
    return set;
  }

  has(member: number): boolean {
    return (this.words[member >>> 5] & (1 << (member & 31))) !== 0;
  }

  add(member: number): void {
    this.words[member >>> 5] |= 1 << (member & 31);
  }

  delete(member: number): void {
    this.words[member >>> 5] &= ~(1 << (member & 31));
  }

  clone(): BitSet {
    return new BitSet(this.size, this.words.slice());
  }

  /** Keeps the members that are in `other` too. Both sets have the same size. */
  intersect(other: BitSet): this {
    const { words } = this;
    const others = other.words;
    for (let i = 0; i < words.length; i++) words[i] &= others[i];
    return this;
  }

  /** Adds the members of `other`. Both sets have the same size. */
  unite(other: BitSet): this {
    const { words } = this;
    const others = other.words;
    for (let i = 0; i < words.length; i++) words[i] |= others[i];
    return this;
  }

  count(): number {
    const { words } = this;
    let count = 0;
    for (let i = 0; i < words.length; i++) count += countBits(words[i]);
    return count;
  }

  /** Calls `visit` with each member, ascending. */
  forEach(visit: (member: number) => void): void {
    const { words } = this;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i]; word !== 0; word &= word - 1) visit((i << 5) + 31 - Math.clz32(word & -word));
    }
  }

  /** The members, ascending. */
  toArray(): Uint32Array {
    const members = new Uint32Array(this.count());
    let length = 0;
    this.forEach((member) => {
      members[length++] = member;
    });
    return members;
  }
}

/** How many bits of a word are set: added up side by side, in pairs, in fours, then all bytes by one multiplication. */
export function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
