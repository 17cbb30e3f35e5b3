import { mapAt } from '../../../core/map-at.ts';
import type { Schema } from '../../../model/schema/schema.ts';
import type { LoadedRows } from './loaded-rows.ts';
import type { RowSummary } from './loaded-type.ts';
import {
  addressKey,
  documentKey,
  isOf,
  isSameRow,
  type KnownRow,
  type OwnList,
  type RowAddress,
  type SourceRow,
} from './source-row.ts';

/** The rows of a source as the content has them, without their values: those of the last load, with the changes since. */
export class KnownRows {
  readonly #loaded: LoadedRows;
  /** By type and id: the rows that have changed since the load. Null: the row is gone. */
  readonly #changed = new Map<string, Map<number, KnownRow | null>>();
  /** The changed rows by type and documentId. */
  readonly #byDocument = new RowIndex();
  /** The changed rows by what their own lists have. */
  readonly #byTarget = new RowIndex();

  constructor(loaded: LoadedRows) {
    this.#loaded = loaded;
  }

  get(type: string, id: number): KnownRow | undefined {
    const changed = this.#changed.get(type)?.get(id);
    return changed === undefined ? this.#loaded.get(type, id) : (changed ?? undefined);
  }

  /** Takes a time linear in the rows of the type. */
  *ofType(type: string): Generator<KnownRow> {
    for (const row of this.#loaded.ofType(type)) if (!this.#isChanged(row)) yield row;
    for (const row of this.#changed.get(type)?.values() ?? []) if (row) yield row;
  }

  /** Summarises the rows of a type with a status; null: with any. Takes a time linear in the changed rows of the type. */
  summary(type: string, published: boolean | null): RowSummary {
    let { count, greatestId } = this.#loaded.summary(type, published);
    const isCounted = (row: KnownRow) => published === null || row.published === published;
    for (const [id, row] of this.#changed.get(type) ?? []) {
      const loaded = this.#loaded.get(type, id);
      if (loaded && isCounted(loaded)) count--;
      if (!row || !isCounted(row)) continue;
      count++;
      greatestId = Math.max(greatestId, id);
    }
    return { count, greatestId };
  }

  /** Returns the rows of a document. */
  ofDocument(type: string, documentId: string): KnownRow[] {
    const loaded = this.#loaded.ofDocument(type, documentId).filter((row) => !this.#isChanged(row));
    return [...loaded, ...this.#byDocument.get(documentKey({ type, documentId }))];
  }

  /** Returns the rows with an own list that has this target, each once. */
  linkingTo(target: RowAddress): KnownRow[] {
    const loaded = this.#loaded.linkingTo(target).filter((row) => !this.#isChanged(row));
    return [...loaded, ...this.#byTarget.get(addressKey(target))];
  }

  set(row: KnownRow): void {
    this.#forget(row);
    this.#replace(row, row);
    if (row.documentId !== null) this.#byDocument.add(documentKey(row), row);
    for (const key of targetKeysOf(row)) this.#byTarget.add(key, row);
  }

  delete(address: RowAddress): void {
    this.#forget(address);
    this.#replace(address, null);
  }

  #isChanged({ type, id }: RowAddress): boolean {
    return this.#changed.get(type)?.has(id) === true;
  }

  #replace({ type, id }: RowAddress, row: KnownRow | null): void {
    mapAt(this.#changed, type, () => new Map<number, KnownRow | null>()).set(id, row);
  }

  /** Removes a changed row from the indexes. */
  #forget({ type, id }: RowAddress): void {
    const row = this.#changed.get(type)?.get(id);
    if (!row) return;
    if (row.documentId !== null) this.#byDocument.delete(documentKey(row), row);
    for (const key of targetKeysOf(row)) this.#byTarget.delete(key, row);
  }
}

class RowIndex {
  readonly #rows = new Map<string, Set<KnownRow>>();

  get(key: string): Iterable<KnownRow> {
    return this.#rows.get(key) ?? [];
  }

  add(key: string, row: KnownRow): void {
    mapAt(this.#rows, key, () => new Set<KnownRow>()).add(row);
  }

  delete(key: string, row: KnownRow): void {
    const rows = this.#rows.get(key);
    rows?.delete(row);
    if (rows?.size === 0) this.#rows.delete(key);
  }
}

function targetKeysOf({ lists }: KnownRow): Set<string> {
  return new Set(lists.flatMap(({ targets }) => targets.map(addressKey)));
}

/** A row that was requested. `row` is null if the source has deleted it. */
export interface FetchedRow {
  readonly address: RowAddress;
  readonly row: SourceRow | null;
}

/**
 * The rows of a source before and after a change. Known: before the change, as the content has the row. Fetched: after it,
 * by a request. Latest: fetched, or known if not fetched.
 */
export class FetchedRows {
  readonly schema: Schema;
  readonly known: KnownRows;
  readonly #byKey = new Map<string, FetchedRow>();

  constructor(schema: Schema, known: KnownRows) {
    this.schema = schema;
    this.known = known;
  }

  get all(): Iterable<FetchedRow> {
    return this.#byKey.values();
  }

  set(address: RowAddress, row: SourceRow | null): void {
    this.#byKey.set(addressKey(address), { address, row });
  }

  /** Undefined if the row was not requested. */
  get(address: RowAddress): FetchedRow | undefined {
    return this.#byKey.get(addressKey(address));
  }

  /** Returns the latest state of a row, or null if there is none. */
  latest(address: RowAddress): SourceRow | KnownRow | null {
    const fetched = this.get(address);
    return fetched ? fetched.row : (this.known.get(address.type, address.id) ?? null);
  }

  /** Returns the latest state of a row, or the known state of a row that is gone. */
  lastSeen(address: RowAddress): SourceRow | KnownRow | undefined {
    return this.get(address)?.row ?? this.known.get(address.type, address.id);
  }

  /** Returns the targets of an entry in an attribute. */
  targetsOf(source: RowAddress, attribute: string): OwnList['targets'] {
    const lists = this.latest(source)?.lists ?? [];
    return lists.find((list) => list.attribute === attribute && isOf(list, source))?.targets ?? [];
  }

  /** Whether a row links to another one in an attribute. */
  links(source: RowAddress, attribute: string, target: RowAddress): boolean {
    return this.targetsOf(source, attribute).some((one) => isSameRow(one, target));
  }
}
