import { GrowableDoubles } from '../memory/growable-buffers.ts';
import { firstWhere } from './row-set.ts';

/** One number for each id, in ascending order of id. Takes 16 bytes an id. */
export class IdTable {
  static readonly empty = new IdTable(new Float64Array(0), new Float64Array(0));

  readonly ids: Float64Array;
  /** In the order of the ids. */
  readonly values: Float64Array;

  private constructor(ids: Float64Array, values: Float64Array) {
    this.ids = ids;
    this.values = values;
  }

  /** Returns the table of ids in any order. Of several values of one id, the last one counts. */
  static of(ids: Float64Array, values: Float64Array): IdTable {
    if (ids.every((id, i) => i === 0 || ids[i - 1] < id)) return new IdTable(ids, values);
    const valueById = new Map<number, number>();
    for (let i = 0; i < ids.length; i++) valueById.set(ids[i], values[i]);
    const sorted = Float64Array.from(valueById.keys()).sort();
    return new IdTable(
      sorted,
      sorted.map((id) => valueById.get(id)!),
    );
  }

  get size(): number {
    return this.ids.length;
  }

  /** Returns the place of an id among the ids; undefined if it is missing. */
  indexOf(id: number): number | undefined {
    const index = this.#firstFrom(id);
    return this.ids[index] === id ? index : undefined;
  }

  get(id: number): number | undefined {
    const index = this.indexOf(id);
    return index === undefined ? undefined : this.values[index];
  }

  /** Returns the table with other values. Null removes an id. Copies what is between the changed ids. */
  with(changes: ReadonlyMap<number, number | null>): IdTable {
    if (changes.size === 0) return this;
    const ids = new Float64Array(this.size + changes.size);
    const values = new Float64Array(ids.length);
    let taken = 0;
    let length = 0;
    const takeUntil = (end: number) => {
      ids.set(this.ids.subarray(taken, end), length);
      values.set(this.values.subarray(taken, end), length);
      length += end - taken;
      taken = end;
    };
    for (const id of Float64Array.from(changes.keys()).sort()) {
      takeUntil(this.#firstFrom(id));
      if (this.ids[taken] === id) taken++;
      const value = changes.get(id)!;
      if (value === null) continue;
      ids[length] = id;
      values[length++] = value;
    }
    takeUntil(this.size);
    return new IdTable(ids.slice(0, length), values.slice(0, length));
  }

  /** Returns the place of the first id that is at least this one. */
  #firstFrom(id: number): number {
    return firstWhere(this.size, (i) => this.ids[i] >= id);
  }

  /** Calls `take` for each id whose value differs between two tables; null: the table lacks the id. */
  static eachDifference(
    before: IdTable,
    after: IdTable,
    take: (id: number, before: number | null, after: number | null) => void,
  ): void {
    let i = 0;
    let j = 0;
    while (i < before.size || j < after.size) {
      const old = i < before.size ? before.ids[i] : Number.POSITIVE_INFINITY;
      const present = j < after.size ? after.ids[j] : Number.POSITIVE_INFINITY;
      const id = Math.min(old, present);
      const value = old === id ? before.values[i++] : null;
      const other = present === id ? after.values[j++] : null;
      if (!Object.is(value, other)) take(id, value, other);
    }
  }
}

/** Collects the rows of an IdTable, in any order. */
export class IdTableBuilder {
  readonly #ids = new GrowableDoubles();
  readonly #values = new GrowableDoubles();

  add(id: number, value: number): void {
    this.#ids.push(id);
    this.#values.push(value);
  }

  /** The builder is empty then. */
  finish(): IdTable {
    return IdTable.of(this.#ids.take(), this.#values.take());
  }
}
