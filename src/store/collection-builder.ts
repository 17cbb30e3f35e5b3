import { type Problems, quote } from '../problems.ts';
import { type EntryType, type ScalarAttribute, servedScalars } from '../schema/schema.ts';
import { type Comparable, comparableOf, comparisonOf, expectationOf, jsonOf } from '../schema/values.ts';
import { BitSet } from '../sets/bit-set.ts';
import { buildDictionary } from './build-dictionary.ts';
import { Column } from './column.ts';
import { GrowableBytes, GrowableNumbers } from './growable.ts';
import { NumberDictionary } from './number-dictionary.ts';
import { Slices } from './slices.ts';

/** What a finished builder gives to the store builder. `rows` maps an arrival number to its row. */
export interface BuiltRows {
  rowCount: number;
  columns: Map<string, Column>;
  slices: Slices;
  published: BitSet | null;
  rows: Uint32Array;
}

/** Takes the rows of one type in any order, numbered by arrival, and finishes them in the order of their ids. */
export class CollectionBuilder {
  readonly type: EntryType;
  /** Arrival number by id. */
  readonly arrivals = new Map<number, number>();
  readonly #attributes: readonly ScalarAttribute[];
  readonly #columns: readonly ColumnBuilder[];
  readonly #segmentStarts: readonly string[];
  readonly #ids: number[] = [];
  readonly #published: boolean[] = [];
  readonly #bytes = new GrowableBytes();
  readonly #offsets = new GrowableNumbers();
  readonly #anyEnumeration: boolean;
  readonly #problems: Problems;

  constructor(type: EntryType, problems: Problems, anyEnumeration: boolean) {
    this.type = type;
    this.#problems = problems;
    this.#anyEnumeration = anyEnumeration;
    this.#attributes = servedScalars(type);
    this.#columns = this.#attributes.map(() => new ColumnBuilder());
    this.#segmentStarts = this.#attributes.map(
      ({ name }, position) => `${position > 0 ? ',' : ''}${JSON.stringify(name)}:`,
    );
  }

  get rowCount(): number {
    return this.#ids.length;
  }

  /**
   * Adds a row and gives its arrival number. `values` holds `id` (a positive integer) and the scalar attributes by
   * name; what is left out is null. A value that its attribute cannot hold is noted as a problem and counts as null.
   */
  add(values: Record<string, unknown>, published: boolean, place: string): number {
    const arrival = this.#ids.length;
    const id = values.id as number;
    if (this.arrivals.has(id)) this.#problems.add(place, `the id ${id} is given twice`);
    this.arrivals.set(id, arrival);
    this.#ids.push(id);
    this.#published.push(published);
    for (let i = 0; i < this.#attributes.length; i++) {
      const attribute = this.#attributes[i];
      const value = Object.hasOwn(values, attribute.name) ? (values[attribute.name] ?? null) : null;
      let json = 'null';
      let comparable: Comparable | undefined;
      if (value !== null) {
        comparable = comparableOf(attribute, value, this.#anyEnumeration);
        if (comparable !== undefined) json = jsonOf(attribute.type, value, comparable);
        else
          this.#problems.add(
            `${place}, attribute ${attribute.name}`,
            `expected ${expectationOf(attribute)}, not ${quote(value)}`,
          );
      }
      this.#columns[i].push(comparable);
      this.#offsets.push(this.#bytes.length);
      this.#bytes.push(this.#segmentStarts[i] + json);
    }
    this.#offsets.push(this.#bytes.length);
    return arrival;
  }

  finish(): BuiltRows {
    const ids = this.#ids;
    const rowCount = ids.length;
    const order = Uint32Array.from(ids.keys());
    const inOrder = ids.every((id, i) => i === 0 || ids[i - 1] < id);
    if (!inOrder) order.sort((a, b) => ids[a] - ids[b]);
    const rows = new Uint32Array(rowCount);
    for (let row = 0; row < rowCount; row++) rows[order[row]] = row;

    const stride = this.#attributes.length + 1;
    const arrived = this.#offsets.toArray();
    const offsets = inOrder ? arrived : new Uint32Array(arrived.length);
    if (!inOrder) {
      for (let row = 0; row < rowCount; row++) {
        offsets.set(arrived.subarray(order[row] * stride, (order[row] + 1) * stride), row * stride);
      }
    }
    const columns = new Map<string, Column>();
    this.#attributes.forEach((attribute, i) => {
      columns.set(attribute.name, this.#columns[i].finish(attribute, order));
    });
    // rows stand in the order of their ids, so an id's code is its row and one
    const sortedIds = Float64Array.from(order, (arrival) => ids[arrival]);
    columns.set(
      'id',
      new Column(
        Uint32Array.from(order, (_, row) => row + 1),
        new NumberDictionary(sortedIds),
      ),
    );
    let published: BitSet | null = null;
    if (this.type.draftAndPublish) {
      published = new BitSet(rowCount);
      for (let row = 0; row < rowCount; row++) if (this.#published[order[row]]) published.add(row);
    }
    const names = this.#attributes.map(({ name }) => name);
    return { rowCount, columns, slices: new Slices(this.#bytes.toBuffer(), offsets, names), published, rows };
  }
}

/** Gives each distinct value a number as it comes; finish() replaces the numbers by codes in value order. */
class ColumnBuilder {
  readonly #numbers = new GrowableNumbers();
  readonly #distinct: Comparable[] = [];
  readonly #seen = new Map<Comparable, number>();

  push(value: Comparable | undefined): void {
    if (value === undefined) {
      this.#numbers.push(0);
      return;
    }
    let number = this.#seen.get(value);
    if (number === undefined) {
      number = this.#distinct.push(value);
      this.#seen.set(value, number);
    }
    this.#numbers.push(number);
  }

  finish(attribute: ScalarAttribute, order: Uint32Array): Column {
    const numbers = this.#numbers.toArray();
    const { dictionary, codes } = buildDictionary(comparisonOf(attribute.type), this.#distinct);
    return new Column(
      Uint32Array.from(order, (arrival) => (numbers[arrival] === 0 ? 0 : codes[numbers[arrival] - 1])),
      dictionary,
    );
  }
}
