import { type Problems, preview } from '../base/problems.ts';
import { servedJsonText } from '../model/json-text.ts';
import { type EntryType, fileType, type ScalarAttribute, servedScalars } from '../model/schema.ts';
import { type ToleratedValue, toleratedValue } from '../model/tolerated-values.ts';
import { comparisonKindOf, expectationOf, toComparable, writeJson } from '../model/value-types.ts';
import { BitSet } from '../sets/bit-set.ts';
import { iota } from '../sets/row-set.ts';
import type { Column } from '../store/column.ts';
import type { JsonRows } from '../store/json-rows.ts';
import { buildNumberDictionary } from './build-number-dictionary.ts';
import { buildColumn, type ColumnBuilder, columnBuilder } from './column-builder.ts';
import { IdIndex } from './id-index.ts';
import { JsonRowsBuilder } from './json-rows-builder.ts';
import type { Rewrite } from './media-urls.ts';

const nothing = Buffer.from('null');

export interface StoreOptions {
  /** Is added to the message about an id that is given twice. */
  readonly duplicateHint?: string;
  /** Localizations are connections like any other; otherwise they are the other rows of the document and status. */
  readonly linksLocalizations?: boolean;
  /** How replies show the attributes of files, where they differ from what is stored. */
  readonly mediaRewrites?: ReadonlyMap<string, Rewrite>;
}

/** What a finished builder gives to the store builder. `rows` maps an arrival number to its row. */
export interface BuiltRows {
  rowCount: number;
  columns: Map<string, Column>;
  jsonRows: JsonRows;
  jsonTexts: Map<string, Column>;
  published: BitSet | null;
  rows: Uint32Array;
}

/** Takes the rows of one type in any order, numbered by arrival, and finishes them in the order of their ids. */
export class CollectionBuilder {
  readonly type: EntryType;
  readonly #ids = new IdIndex();
  /** Arrivals without an id; they get one when all that are given are known. */
  readonly #unnumbered: number[] = [];
  readonly #attributes: readonly ScalarAttribute[];
  readonly #positions: ReadonlyMap<string, number>;
  /** The values of the row that is being added, by position; null where there is none. */
  readonly #given: unknown[];
  /** One for each attribute but the id, whose column follows from the order of the rows. */
  readonly #columns: readonly (ColumnBuilder | null)[];
  readonly #jsonRows: JsonRowsBuilder;
  /** For each attribute how replies show its values; null if they show them as they are. */
  readonly #rewrites: readonly (Rewrite | null)[];
  /** For rewritten JSON the texts that filters see, by attribute. */
  readonly #jsonTexts: readonly (ColumnBuilder | null)[];
  readonly #published: boolean[] = [];
  readonly #problems: Problems;
  readonly #duplicateHint: string;

  constructor(type: EntryType, problems: Problems, { duplicateHint = '', mediaRewrites }: StoreOptions) {
    this.type = type;
    this.#problems = problems;
    this.#duplicateHint = duplicateHint;
    this.#attributes = servedScalars(type);
    this.#positions = new Map(this.#attributes.map(({ name }, position) => [name, position]));
    this.#given = this.#attributes.map(() => null);
    this.#columns = this.#attributes.map(({ name, type }) => (name === 'id' ? null : columnBuilder(type)));
    this.#jsonRows = new JsonRowsBuilder(this.#attributes.map(({ name }) => name));
    this.#rewrites = this.#attributes.map(({ name }) => (type.uid === fileType && mediaRewrites?.get(name)) || null);
    this.#jsonTexts = this.#attributes.map(({ type }, i) =>
      this.#rewrites[i] && comparisonKindOf(type) === 'presence' ? columnBuilder('string') : null,
    );
  }

  /** How many rows have arrived. */
  get length(): number {
    return this.#ids.length;
  }

  /** The arrival number of the row with an id that was given. */
  arrivalOf(id: number): number | undefined {
    return this.#ids.find(id);
  }

  /**
   * Adds a row and gives its arrival number. `values` holds the scalar attributes by name; what is left out is null.
   * The `id` is a positive integer; a row without one is numbered after the largest, in the order of arrival.
   * A value that its attribute cannot hold is noted.
   */
  add(values: Record<string, unknown>, published: boolean, place: string): number {
    const arrival = this.#ids.length;
    const given = this.#given;
    given.fill(null);
    for (const name in values) {
      const position = this.#positions.get(name);
      // what an entry inherits is no value of its own
      if (position !== undefined && Object.hasOwn(values, name)) given[position] = values[name] ?? null;
    }
    const id = given[0];
    if (id === null) {
      this.#unnumbered.push(arrival);
      // below all ids that can be given, and ascending only with others of its kind
      this.#ids.add(arrival - Number.MAX_SAFE_INTEGER);
    } else if (!Number.isSafeInteger(id) || (id as number) < 1) {
      this.#problems.add(place, `"id" is to be a positive integer, not ${preview(id)}`);
    } else if (!this.#ids.add(id as number))
      this.#problems.add(place, `the id ${id} is given twice${this.#duplicateHint}`);
    this.#published.push(published);
    for (let i = 0; i < this.#attributes.length; i++) {
      const attribute = this.#attributes[i];
      let value = given[i];
      let comparable = value === null ? undefined : toComparable(attribute, value);
      if (value !== null && comparable === undefined && attribute.name !== 'id') {
        ({ value, comparable } = this.#tolerate(attribute, value, place));
      }
      this.#columns[i]?.push(comparable);
      this.#jsonTexts[i]?.push(comparable === undefined ? undefined : servedJsonText(value));
      const json = this.#jsonRows.segment(i);
      if (comparable !== undefined) writeJson(attribute.type, this.#rewrites[i]?.(value) ?? value, comparable, json);
      else if (value === null || attribute.name === 'id') json.bytes(nothing);
      else json.raw(JSON.stringify(value));
    }
    this.#jsonRows.endRow();
    return arrival;
  }

  /** Notes a value that its attribute cannot hold, and gives what is served in its place. */
  #tolerate(attribute: ScalarAttribute, value: unknown, place: string): ToleratedValue {
    const at = `${place}, attribute ${attribute.name}`;
    const expectation = () => `expected ${expectationOf(attribute)}, not ${preview(value)}`;
    const tolerated = toleratedValue(attribute, value);
    if (tolerated) this.#problems.tolerate('wrong-value', at, expectation);
    else this.#problems.add(at, expectation());
    return tolerated ?? { value: null, comparable: undefined };
  }

  finish(): BuiltRows {
    const rowCount = this.#ids.length;
    const ids = this.#ids.toArray();
    let last = 0;
    for (let arrival = 0; arrival < rowCount; arrival++) last = Math.max(last, ids[arrival]);
    for (const arrival of this.#unnumbered) ids[arrival] = ++last;
    const isNumbered = this.#unnumbered.length > 0;
    const order = iota(rowCount);
    const isInOrder = ids.every((id, i) => i === 0 || ids[i - 1] < id);
    if (!isInOrder) order.sort((a, b) => ids[a] - ids[b]);
    const rows = new Uint32Array(rowCount);
    for (let row = 0; row < rowCount; row++) rows[order[row]] = row;

    const columns = new Map<string, Column>();
    // rows stand in the order of their ids, so an id's code is its row and one
    const idCodes = iota(rowCount + 1).subarray(1);
    const sortedIds = Float64Array.from(order, (arrival) => ids[arrival]);
    columns.set('id', buildColumn(idCodes, buildNumberDictionary(sortedIds, 'integer')));
    this.#attributes.forEach((attribute, i) => {
      const column = this.#columns[i]?.finish(order);
      if (column) columns.set(attribute.name, column);
    });
    const jsonTexts = new Map<string, Column>();
    this.#attributes.forEach(({ name }, i) => {
      const column = this.#jsonTexts[i]?.finish(order);
      if (column) jsonTexts.set(name, column);
    });
    let published: BitSet | null = null;
    if (this.type.draftAndPublish) {
      published = new BitSet(rowCount);
      for (let row = 0; row < rowCount; row++) if (this.#published[order[row]]) published.add(row);
    }
    const jsonRows = this.#jsonRows.finish(order, isInOrder, isNumbered ? ids : null);
    return { rowCount, columns, jsonRows, jsonTexts, published, rows };
  }
}
