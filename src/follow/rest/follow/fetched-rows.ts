import type { Schema } from '../../../model/schema/schema.ts';
import type { KnownRows } from './known-rows.ts';
import {
  addressKey,
  isOf,
  isSameRow,
  type KnownRow,
  type OwnList,
  type RowAddress,
  type SourceRow,
} from './source-row.ts';

/** A row that was requested. Without `row`, the source does not have it any more. */
export interface FetchedRow {
  readonly address: RowAddress;
  readonly row: SourceRow | null;
}

/**
 * The rows of a source before and after a change. Known: the row as the content has it, from before. Fetched: requested
 * again. Latest: fetched, or known if it was not fetched.
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
