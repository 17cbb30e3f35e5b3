import { shortDigest } from '../../../store/writer/rows/row-digest.ts';
import type { OwnList, RowAddress, SourceRow } from './source-row.ts';

/** A row without its values, as the content has it. */
export interface RowState extends Omit<SourceRow, 'data'> {
  /** `updatedAt` as the API sends it. Undefined if it does not. */
  readonly updatedAt: unknown;
  /** Digest of data and status. */
  readonly digest: number;
}

/** Numbers for the few names of types and attributes, from 1. */
class Names {
  readonly #names: string[] = [''];
  readonly #numbers = new Map<string, number>();

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = this.#names.push(name) - 1));
    return number;
  }

  nameOf(number: number): string {
    return this.#names[number];
  }
}

/** A row as the content has it, packed: there is one for each row of the source. */
export class KnownRow implements RowState {
  readonly type: string;
  readonly id: number;
  readonly documentId: string | null;
  readonly published: boolean;
  readonly digest: number;
  /** Another row of the document. */
  next: KnownRow | null = null;
  readonly #names: Names;
  /** As `packTime` returns it. */
  readonly #updatedAt: unknown;
  /** The own lists as JSON, with numbers for names. Empty without lists. */
  readonly #lists: string;
  readonly #sources: readonly (readonly [inverse: string, ids: readonly number[]])[] | null;

  constructor({ type, id, documentId, published, digest, updatedAt, lists, sources }: RowState, names: Names) {
    this.type = type;
    this.id = id;
    this.documentId = documentId;
    this.published = published;
    this.digest = digest;
    this.#names = names;
    this.#updatedAt = packTime(updatedAt);
    this.#lists = lists.length === 0 ? '' : packLists(lists, names);
    const listed = Array.from(sources).filter(([, ids]) => ids.length > 0);
    this.#sources = listed.length === 0 ? null : listed;
  }

  get updatedAt(): unknown {
    const packed = this.#updatedAt;
    if (typeof packed === 'number') return new Date(packed).toISOString();
    return Array.isArray(packed) ? packed[0] : packed;
  }

  get lists(): readonly OwnList[] {
    return this.#lists === '' ? [] : unpackLists(this.#lists, this.#names);
  }

  get sources(): ReadonlyMap<string, readonly number[]> {
    return new Map(this.#sources);
  }

  /** Returns its state with other lists. */
  with(others: Partial<Pick<RowState, 'lists' | 'sources'>>): RowState {
    const { type, id, documentId, published, digest, updatedAt, lists, sources } = this;
    return { type, id, documentId, published, digest, updatedAt, lists, sources, ...others };
  }
}

/** The rows of a source as the content has them, without their values. */
export class KnownRows {
  readonly #byType = new Map<string, Map<number, KnownRow>>();
  /** By type and documentId: the first of the rows of each document. */
  readonly #byDocument = new Map<string, Map<string, KnownRow>>();
  readonly #linked = new LinkSources<KnownRow>();
  readonly #names = new Names();

  get(type: string, id: number): KnownRow | undefined {
    return this.#byType.get(type)?.get(id);
  }

  ofType(type: string): Iterable<KnownRow> {
    return this.#byType.get(type)?.values() ?? [];
  }

  /** Returns the rows of a document. */
  ofDocument(type: string, documentId: string): KnownRow[] {
    const rows: KnownRow[] = [];
    for (let row = this.#byDocument.get(type)?.get(documentId) ?? null; row; row = row.next) rows.push(row);
    return rows;
  }

  /** Returns the rows with an own list that has this target. */
  linkingTo(target: RowAddress): readonly KnownRow[] {
    return this.#linked.to(target);
  }

  set(state: RowState): void {
    this.delete(state);
    // rows of a document share one string
    const first = state.documentId === null ? undefined : this.#byDocument.get(state.type)?.get(state.documentId);
    const row = new KnownRow(first ? { ...state, documentId: first.documentId } : state, this.#names);
    ofKey(this.#byType, row.type).set(row.id, row);
    this.#linked.add(row);
    if (row.documentId === null) return;
    row.next = first ?? null;
    ofKey(this.#byDocument, row.type).set(row.documentId, row);
  }

  delete({ type, id }: RowAddress): void {
    const row = this.get(type, id);
    if (!row) return;
    this.#byType.get(type)!.delete(id);
    this.#linked.delete(row);
    if (row.documentId === null) return;
    const documents = this.#byDocument.get(type)!;
    const others = this.ofDocument(type, row.documentId).filter((other) => other !== row);
    for (const [i, other] of others.entries()) other.next = others[i + 1] ?? null;
    if (others.length > 0) documents.set(row.documentId, others[0]);
    else documents.delete(row.documentId);
  }
}

function ofKey<Key, T>(maps: Map<string, Map<Key, T>>, key: string): Map<Key, T> {
  let map = maps.get(key);
  if (!map) maps.set(key, (map = new Map()));
  return map;
}

/** Returns a text as the milliseconds of its time if that gives the same text again, and what is no text in a list. */
function packTime(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string') return [value];
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value ? time : value;
}

function packLists(lists: readonly OwnList[], names: Names): string {
  const number = (name: string | undefined) => (name === undefined ? 0 : names.numberOf(name));
  return JSON.stringify(
    lists.map(({ type, id, attribute, targets }) => [
      number(type),
      id,
      number(attribute),
      ...targets.flatMap((target) => [number(target.type), target.id, number(target.inverse)]),
    ]),
  );
}

function unpackLists(packed: string, names: Names): OwnList[] {
  return (JSON.parse(packed) as number[][]).map(([type, id, attribute, ...targets]) => ({
    type: names.nameOf(type),
    id,
    attribute: names.nameOf(attribute),
    targets: Array.from({ length: targets.length / 3 }, (_, i) => {
      const [targetType, targetId, inverse] = targets.slice(3 * i, 3 * i + 3);
      return {
        type: names.nameOf(targetType),
        id: targetId,
        ...(inverse > 0 && { inverse: names.nameOf(inverse) }),
      };
    }),
  }));
}

/** Returns a row without its values, which a digest replaces. */
export function stateOf({ data, ...row }: SourceRow): RowState {
  return { ...row, updatedAt: data.updatedAt, digest: shortDigest(`${row.published}${JSON.stringify(data)}`) };
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

interface LinkingRow {
  readonly lists: readonly OwnList[];
}

/** The rows that link to each row, for the changes that move or delete links to it. */
class LinkSources<Row extends LinkingRow> {
  /** By type and id of the target. A single row stands for itself, as most targets have one. */
  readonly #byTarget = new Map<string, Map<number, Row | Row[]>>();

  to({ type, id }: RowAddress): readonly Row[] {
    const rows = this.#byTarget.get(type)?.get(id) ?? [];
    return Array.isArray(rows) ? rows : [rows];
  }

  add(row: Row): void {
    for (const { type, id } of targetsOf(row)) {
      let ofType = this.#byTarget.get(type);
      if (!ofType) this.#byTarget.set(type, (ofType = new Map()));
      const rows = ofType.get(id);
      if (Array.isArray(rows)) rows.push(row);
      else ofType.set(id, rows ? [rows, row] : row);
    }
  }

  delete(row: Row): void {
    for (const { type, id } of targetsOf(row)) {
      const ofType = this.#byTarget.get(type)!;
      const rows = ofType.get(id)!;
      if (!Array.isArray(rows) || rows.length === 1) {
        ofType.delete(id);
        continue;
      }
      rows[rows.indexOf(row)] = rows.at(-1)!;
      rows.pop();
    }
  }
}

/** Returns the targets of all lists of a row, each once. */
function targetsOf({ lists }: LinkingRow): Iterable<RowAddress> {
  const targets = lists.flatMap((list) => list.targets);
  return new Map(targets.map((target) => [`${target.type} ${target.id}`, target])).values();
}
