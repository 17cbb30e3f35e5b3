/** Rows of a source with their relations, as its API shows them. */
import { shortDigest } from '../../../store/writer/rows/row-digest.ts';

/** The other end of a link. */
export interface RowAddress {
  readonly type: string;
  readonly id: number;
}

/** The targets of an entry or one of its components in an attribute that owns its links, in order. */
export interface OwnList {
  /** The type and id of the entry or component. */
  readonly type: string;
  readonly id: number;
  readonly attribute: string;
  readonly targets: readonly ListedTarget[];
}

export interface ListedTarget extends RowAddress {
  /** As in `LinkTarget`. */
  readonly inverse?: string;
}

/** A version of a document: one status and locale. */
export interface SourceRow extends RowAddress {
  readonly documentId: string | null;
  readonly published: boolean;
  /** The data of the entity in a batch. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The own lists of the entry and its components. An attribute without a list has no targets. */
  readonly lists: readonly OwnList[];
  /** By inverse attribute: the ids of the rows that link to this one, in order. */
  readonly sources: ReadonlyMap<string, readonly number[]>;
}

/** A row without its values, as the content has it. */
export interface KnownRow extends Omit<SourceRow, 'data'> {
  /** `updatedAt` as the API sends it. Undefined if it does not. */
  readonly updatedAt: unknown;
  /** As `digestOf` returns it. */
  readonly digest: number;
}

/** Returns a row without its values, which a digest replaces. */
export function knownRowOf({ data, ...row }: SourceRow): KnownRow {
  return { ...row, updatedAt: data.updatedAt, digest: digestOf(row.published, data) };
}

/** Returns a row with other links. */
export function withLinks(row: KnownRow, links: Partial<Pick<KnownRow, 'lists' | 'sources'>>): KnownRow {
  const { type, id, documentId, published, digest, updatedAt, lists, sources } = row;
  return { type, id, documentId, published, digest, updatedAt, lists, sources, ...links };
}

/** Digest of the data and status of a row. */
export function digestOf(published: boolean, data: SourceRow['data']): number {
  return shortDigest(`${published}${JSON.stringify(data)}`);
}

/** Names a row. */
export function addressKey({ type, id }: RowAddress): string {
  return `${type} ${id}`;
}

/** Names a document. */
export function documentKey({
  type,
  documentId,
}: {
  readonly type: string;
  readonly documentId: string | null;
}): string {
  return `${type} ${documentId}`;
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

export function isSameRow(one: RowAddress, other: RowAddress): boolean {
  return one.id === other.id && one.type === other.type;
}

/** Whether a list is that of an entry, and not of one of its components. */
export function isOf(list: OwnList, { type, id }: RowAddress): boolean {
  return list.id === id && list.type === type;
}
