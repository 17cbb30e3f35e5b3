import type { StorePolicy } from '../../core/dialect.ts';
import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { BitSet, wordCount } from '../../core/sets/bit-set.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import { comparedJsonText } from '../../model/schema/compared-texts.ts';
import { type EntryType, fileType, type ScalarAttribute, servedScalars } from '../../model/schema/schema.ts';
import { type ToleratedValue, toleratedValue } from '../../model/schema/tolerated-values.ts';
import { describeExpectedValue, toComparable, writeJson } from '../../model/schema/value-types.ts';
import type { Collection } from '../collection.ts';
import type { Column } from '../columns/column.ts';
import type { NumberDictionary } from '../columns/number-dictionary.ts';
import { deltaRowOf } from '../overlay/delta.ts';
import { fillIdCodes, ordinalsInRowOrder } from '../row-order.ts';
import type { Segment } from '../segment.ts';
import { allocateAt, placeOf } from './allocation-errors.ts';
import { buildColumn, buildNumberDictionary, type ColumnBuilder, columnBuilder } from './columns/column-builder.ts';
import { addComparedTexts, isComparedAsJson } from './rows/compared-texts.ts';
import { IdIndex } from './rows/id-index.ts';
import { JsonRowsBuilder } from './rows/json-rows-builder.ts';
import type { Rewrite } from './rows/media-urls.ts';
import type { Utf8Writer } from './rows/utf8-writer.ts';
import type { StoreOptions } from './store-options.ts';

/** Object.hasOwn takes twice the time for the keys of a loop over them. */
const hasOwn = Object.prototype.hasOwnProperty;

const jsonNull = Buffer.from('null');

/** The id is the first served attribute of every type. */
const idPosition = 0;

/** The finished rows of one type. */
export interface BuiltRows
  extends Pick<Collection, 'rowCount' | 'greatestId' | 'columns' | 'jsonRows' | 'comparedTexts' | 'published'> {
  /** The row of each load ordinal. */
  readonly rowOfOrdinal: Uint32Array;
}

/** How the values of one attribute are stored. */
interface AttributeWriter {
  readonly attribute: ScalarAttribute;
  readonly isId: boolean;
  /** Null for the id, whose column follows from the order of the rows. */
  readonly column: ColumnBuilder | null;
  /** Takes JSON as text, if queries compare it and it is not read from the finished rows. */
  readonly jsonTexts: ColumnBuilder | null;
  /** How replies show the values; null if they show them as they are. */
  readonly rewrite: Rewrite | null;
  /** What takes the place of given values; null if they are stored as they are. */
  readonly textRewrite: Rewrite | null;
}

const rewrittenTypes: ReadonlySet<string> = new Set(['richtext', 'blocks', 'json']);

/** Takes the rows of one type in any order, each with a load ordinal, and finishes them in row order. */
export class CollectionBuilder {
  readonly type: EntryType;
  readonly #ids = new IdIndex();
  /** Ordinals of rows without an id. `finish` numbers them, when all other ids are known. */
  readonly #unnumbered: number[] = [];
  readonly #writers: readonly AttributeWriter[];
  readonly #positions: ReadonlyMap<string, number>;
  /** The keys of the last rows in their order, with the position of each or -1. Most rows have the keys of the last. */
  readonly #lastKeys: string[] = [];
  readonly #lastPositions: number[] = [];
  /** The values of the row that is being added, by position. Missing values are null. */
  readonly #given: unknown[];
  readonly #jsonRows: JsonRowsBuilder;
  readonly #published: boolean[] = [];
  readonly #problems: Problems;
  readonly #duplicateHint: string;
  readonly #derived: StorePolicy | null;
  readonly #allocator: Allocator;
  #reservedId = 0;

  constructor(type: EntryType, problems: Problems, options: StoreOptions) {
    const { duplicateHint = '', mediaRewrites, derived, gathersJsonTexts = false, allocator = heapAllocator } = options;
    const { textRewrite = null } = options;
    this.type = type;
    this.#problems = problems;
    this.#duplicateHint = duplicateHint;
    this.#derived = derived ?? null;
    this.#allocator = allocator;
    this.#writers = servedScalars(type).map((attribute) => {
      const place = placeOf(type.uid, attribute.name);
      const rewrite = (type.uid === fileType && mediaRewrites?.get(attribute.name)) || null;
      const gathersText = (derived?.jsonTexts ?? null) !== null && (rewrite !== null || gathersJsonTexts);
      const isId = attribute.name === 'id';
      return {
        attribute,
        isId,
        column: isId ? null : columnBuilder(attribute.type, allocator, place),
        jsonTexts: gathersText && isComparedAsJson(attribute.type) ? columnBuilder('string', allocator, place) : null,
        rewrite,
        textRewrite: rewrittenTypes.has(attribute.type) ? textRewrite : null,
      };
    });
    const names = this.#writers.map(({ attribute }) => attribute.name);
    this.#positions = new Map(names.map((name, position) => [name, position]));
    this.#given = names.map(() => null);
    this.#jsonRows = new JsonRowsBuilder(names, allocator, rowsPlace(type.uid));
  }

  /** How many rows have been added. */
  get length(): number {
    return this.#ids.length;
  }

  /** The load ordinal of the row with a given id. */
  ordinalOf(id: number): number | undefined {
    return this.#ids.find(id);
  }

  /**
   * Adds a row and returns its load ordinal. `values` holds the scalar attributes by name; missing ones are null. The
   * `id` is a positive integer. Rows without an id are numbered after the largest id, in load order. Values that an
   * attribute cannot hold are problems at `location`.
   */
  add(values: Record<string, unknown>, published: boolean, location: string): number {
    const ordinal = this.#ids.length;
    const given = this.#given;
    given.fill(null);
    const keys = this.#lastKeys;
    const positions = this.#lastPositions;
    let key = 0;
    for (const name in values) {
      if (keys[key] !== name) {
        keys[key] = name;
        positions[key] = this.#positions.get(name) ?? -1;
      }
      const position = positions[key++];
      // an inherited property is not a value of the entry
      if (position >= 0 && hasOwn.call(values, name)) given[position] = values[name] ?? null;
    }
    this.#addId(given[idPosition], ordinal, location);
    this.#published.push(published);
    for (let i = 0; i < this.#writers.length; i++) {
      this.#addValue(this.#writers[i], given[i], this.#jsonRows.fragment(i), location);
    }
    this.#jsonRows.endRow();
    return ordinal;
  }

  /** Takes ids up to `id` as used: rows without an id, and later ones, get others. */
  reserveIds(id: number): void {
    this.#reservedId = Math.max(this.#reservedId, id);
  }

  /**
   * Returns a function that adds a live row of another store with the same schema and options, and returns its load
   * ordinal. Throws if the other store was built for a dialect without JSON as text.
   */
  copier({ collection, delta, changed }: Segment): (row: number) => number {
    const copyStored = this.#copierOf(collection, this.#jsonRows.copier(collection.jsonRows));
    if (!delta) return copyStored;
    const copyChanged = this.#copierOf(delta, (row) => this.#jsonRows.copier(delta.jsonRows[row])(0));
    return (row) => (changed!.has(row) ? copyChanged(deltaRowOf(delta, row)) : copyStored(row));
  }

  /** Rows are those of `source`: a collection or a delta. */
  #copierOf(
    source: Pick<Collection, 'columns' | 'comparedTexts' | 'published'>,
    copyJson: (row: number) => void,
  ): (row: number) => number {
    const { codes: idCodes, dictionary } = source.columns.get('id')!;
    const { values: ids } = dictionary as NumberDictionary;
    const copyValues = this.#writers.flatMap(({ attribute: { name }, column, jsonTexts }) => {
      const texts = source.comparedTexts.get(name);
      if (jsonTexts && !texts) throw new Error(`${this.type.uid} has no JSON as text of ${name}`);
      return [column?.copier(source.columns.get(name)!) ?? [], jsonTexts?.copier(texts!) ?? []].flat();
    });
    return (row) => {
      const ordinal = this.#ids.length;
      this.#addId(ids[idCodes[row] - 1], ordinal, this.type.uid);
      this.#published.push(source.published?.has(row) ?? true);
      for (const copyValue of copyValues) copyValue(row);
      copyJson(row);
      return ordinal;
    };
  }

  /** Adds the value of an attribute to its column, and to `json` as replies show it. */
  #addValue(
    { attribute, isId, column, jsonTexts, rewrite, textRewrite }: AttributeWriter,
    given: unknown,
    json: Utf8Writer,
    location: string,
  ): void {
    let value = textRewrite && given !== null ? textRewrite(given) : given;
    let comparable = value === null ? undefined : toComparable(attribute, value);
    if (value !== null && comparable === undefined && !isId) {
      ({ value, comparable } = this.#tolerate(attribute, value, location));
    }
    column?.push(comparable);
    jsonTexts?.push(comparable === undefined ? undefined : comparedJsonText(value, this.#derived!.jsonTexts!));
    if (comparable !== undefined) writeJson(attribute.type, rewrite?.(value) ?? value, comparable, json);
    else if (value === null || isId) json.bytes(jsonNull);
    else json.raw(JSON.stringify(value));
  }

  #addId(id: unknown, ordinal: number, location: string): void {
    if (id === null) {
      this.#unnumbered.push(ordinal);
      // less than all given ids, and ascending among rows without an id
      this.#ids.add(ordinal - Number.MAX_SAFE_INTEGER);
    } else if (!Number.isSafeInteger(id) || (id as number) < 1) {
      this.#problems.add(location, `"id" must be a positive integer, not ${preview(id)}`);
    } else if (!this.#ids.add(id as number)) {
      this.#problems.add(location, `the id ${id} is given twice${this.#duplicateHint}`);
    }
  }

  /** Reports a value that its attribute cannot hold, and returns the value to serve instead. */
  #tolerate(attribute: ScalarAttribute, value: unknown, location: string): ToleratedValue {
    const at = `${location}, attribute ${attribute.name}`;
    const expectation = () => `expected ${describeExpectedValue(attribute)}, not ${preview(value)}`;
    const tolerated = toleratedValue(attribute, value);
    if (tolerated) this.#problems.tolerate('wrong-value', at, expectation);
    else this.#problems.add(at, expectation());
    return tolerated ?? { value: null, comparable: undefined };
  }

  /** Returns the finished rows. Call it once. */
  finish(): BuiltRows {
    return runAtOnce(this.finishInSteps());
  }

  /** As `finish`, one column after the other. */
  *finishInSteps(): Steps<BuiltRows> {
    const rowCount = this.#ids.length;
    const ids = this.#ids.toArray();
    const isNumbered = this.#unnumbered.length > 0;
    let greatestId = ids.reduce((greatest, id) => Math.max(greatest, id), this.#reservedId);
    for (const ordinal of this.#unnumbered) ids[ordinal] = ++greatestId;
    const { order, isLoadOrder } = ordinalsInRowOrder(ids);
    const rowOfOrdinal = new Uint32Array(rowCount);
    for (let row = 0; row < rowCount; row++) rowOfOrdinal[order[row]] = row;

    const { uid } = this.type;
    const finish = (column: ColumnBuilder, name: string) => allocateAt(placeOf(uid, name), () => column.finish(order));
    const idColumn = allocateAt(placeOf(uid, 'id'), () => this.#idColumn(ids, order));
    const columns = new Map([['id', idColumn]]);
    const comparedTexts = new Map<string, Column>();
    for (const { attribute, column, jsonTexts: texts } of this.#writers) {
      if (column) columns.set(attribute.name, finish(column, attribute.name).sharingOffsets(idColumn));
      yield;
      if (texts) comparedTexts.set(attribute.name, finish(texts, attribute.name));
      yield;
    }
    const jsonRows = allocateAt(rowsPlace(uid), () =>
      this.#jsonRows.finish(order, isLoadOrder, isNumbered ? ids : null),
    );
    const published = this.#publishedRows(order);
    const built = { rowCount, greatestId, columns, jsonRows, comparedTexts, published, rowOfOrdinal };
    if (this.#derived) addComparedTexts(this.type, built, this.#derived, this.#allocator);
    return built;
  }

  #idColumn(ids: Float64Array, order: Uint32Array): Column {
    const sorted = Float64Array.from(order, (ordinal) => ids[ordinal]);
    const codes = this.#allocator.uint32(order.length);
    fillIdCodes(codes);
    return buildColumn(codes, buildNumberDictionary(sorted, 'integer', this.#allocator), this.#allocator);
  }

  /** Null for a type without drafts. */
  #publishedRows(order: Uint32Array): BitSet | null {
    if (!this.type.draftAndPublish) return null;
    const published = new BitSet(order.length, this.#allocator.uint32(wordCount(order.length)));
    for (let row = 0; row < order.length; row++) if (this.#published[order[row]]) published.add(row);
    return published;
  }
}

function rowsPlace(uid: string): string {
  return `${uid}, JSON of the entries`;
}
