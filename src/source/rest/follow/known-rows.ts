import { hash } from 'node:crypto';
import type { OwnList, RowAddress, SourceRow } from './source-row.ts';

/** What is kept of a row whose content has been passed on. */
export interface KnownRow extends Omit<SourceRow, 'data'> {
  /** `updatedAt` as the API sends it. Undefined if it does not. */
  readonly updatedAt: unknown;
  /** Digest of data and status. */
  readonly digest: string;
}

/** The rows of a source whose content has been passed on, without their values. */
export class KnownRows {
  readonly #byType = new Map<string, Map<number, KnownRow>>();

  get(type: string, id: number): KnownRow | undefined {
    return this.#byType.get(type)?.get(id);
  }

  /** The rows of a type by id. */
  ofType(type: string): ReadonlyMap<number, KnownRow> {
    return this.#byType.get(type) ?? new Map();
  }

  *all(): Iterable<KnownRow> {
    for (const rows of this.#byType.values()) yield* rows.values();
  }

  set(row: KnownRow): void {
    const { type, id } = row;
    const rows = this.#byType.get(type);
    if (rows) rows.set(id, row);
    else this.#byType.set(type, new Map([[id, row]]));
  }

  delete({ type, id }: RowAddress): void {
    this.#byType.get(type)?.delete(id);
  }
}

/** Returns what is kept of a row. */
export function knownRowOf({ data, ...row }: SourceRow): KnownRow {
  return { ...row, updatedAt: data.updatedAt, digest: digestOf(data, row.published) };
}

function digestOf(data: SourceRow['data'], published: boolean): string {
  return hash('md5', `${published}${JSON.stringify(data)}`, 'base64url');
}

/** Names a row. */
export function addressKey({ type, id }: RowAddress): string {
  return `${type} ${id}`;
}

/** Names an own list. */
export function listKey({ type, id, attribute }: Pick<OwnList, 'type' | 'id' | 'attribute'>): string {
  return `${type} ${id} ${attribute}`;
}

/** Whether two lists have the same targets in the same order. */
export function isSameList(one: OwnList['targets'], other: OwnList['targets']): boolean {
  return (
    one.length === other.length &&
    one.every((target, i) => {
      const { type, id, inverse } = other[i];
      return target.id === id && target.type === type && target.inverse === inverse;
    })
  );
}
