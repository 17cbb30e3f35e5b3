import { firstWhere } from '../sets/binary-search.ts';

/** Finds the arrival number of an id. While ids arrive in ascending order, which they mostly do, it takes no memory. */
export class IdIndex {
  readonly #ids: number[] = [];
  /** Made when the first id arrives out of order. */
  #byId: Map<number, number> | null = null;

  get length(): number {
    return this.#ids.length;
  }

  /** The ids by arrival number, as a copy. */
  toArray(): Float64Array {
    return Float64Array.from(this.#ids);
  }

  /** Adds the id of the next arrival. False if the id is there already; the new arrival then counts. */
  add(id: number): boolean {
    const ids = this.#ids;
    if (!this.#byId && ids.length > 0 && id <= ids[ids.length - 1]) {
      this.#byId = new Map(ids.map((known, arrival) => [known, arrival]));
    }
    const isNew = !this.#byId?.has(id);
    this.#byId?.set(id, ids.length);
    ids.push(id);
    return isNew;
  }

  find(id: number): number | undefined {
    if (this.#byId) return this.#byId.get(id);
    const ids = this.#ids;
    const arrival = firstWhere(ids.length, (i) => ids[i] >= id);
    return ids[arrival] === id ? arrival : undefined;
  }
}
