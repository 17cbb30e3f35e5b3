import type fc from 'fast-check';

/** Draws from a fast-check generator; the same seed draws the same things. */
export class Random {
  readonly #source: fc.Random;

  constructor(source: fc.Random) {
    this.#source = source;
  }

  /** Whole number, both ends included. */
  integer(low: number, high: number): number {
    return this.#source.nextInt(low, high);
  }

  /** True in the given percentage of draws. */
  chance(percent: number): boolean {
    return this.integer(1, 100) <= percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)]!;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [copy[i], copy[j]] = [copy[j]!, copy[i]!];
    }
    return copy;
  }

  /** Between `low` and `high` different items, in random order, or all of a shorter list. */
  some<T>(list: readonly T[], low: number, high: number): T[] {
    return this.shuffled(list).slice(0, this.integer(low, high));
  }

  many<T>(low: number, high: number, draw: () => T): T[] {
    return Array.from({ length: this.integer(low, high) }, draw);
  }
}
