import { firstWhere } from '../../../core/sets/row-set.ts';

/**
 * Finds the load ordinal of an id. Takes no memory besides the ids while they arrive in ascending order, as most do.
 */
export class IdIndex {
  readonly #ids: number[] = [];
  /** Built when the first id arrives out of order. */
  #byId: Map<number, number> | null = null;

  get length(): number {
    return this.#ids.length;
  }

  /** Returns a copy of the ids by load ordinal. */
  toArray(): Float64Array {
    return Float64Array.from(this.#ids);
  }

  /** Adds the id of the next row. Returns false if the id is already there; it then finds the new row. */
  add(id: number): boolean {
    const ids = this.#ids;
    if (!this.#byId && ids.length > 0 && id <= ids[ids.length - 1]) {
      this.#byId = new Map(ids.map((known, ordinal) => [known, ordinal]));
    }
    const isNew = !this.#byId?.has(id);
    this.#byId?.set(id, ids.length);
    ids.push(id);
    return isNew;
  }

  find(id: number): number | undefined {
    if (this.#byId) return this.#byId.get(id);
    const ids = this.#ids;
    // ids without gaps are found at once
    const guess = id - ids[0];
    if (guess >= 0 && ids[guess] === id) return guess;
    const ordinal = firstWhere(ids.length, (i) => ids[i] >= id);
    return ordinal < ids.length && ids[ordinal] === id ? ordinal : undefined;
  }
}
