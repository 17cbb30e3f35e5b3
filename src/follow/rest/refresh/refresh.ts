import { mapAt } from '../../../core/map-at.ts';
import type { Schema } from '../../../model/schema/schema.ts';
import { FetchedRows, type KnownRows } from './known-rows.ts';
import { inverseSidesOf, sidesOf } from './relation-sides.ts';
import {
  addressKey,
  documentKey,
  isSameList,
  isSameRow,
  listKey,
  type OwnList,
  type RowAddress,
  type SourceRow,
} from './source-row.ts';

/** Requests rows of a source. Each function resolves to the rows that exist, and rejects with a SnapshotError. */
export interface RowRequests {
  /** Whether the rows of a type can be requested. Those of other types stay as they are. */
  isReadable(type: string): boolean;
  /** All rows of documents of a type. */
  documents(type: string, documentIds: readonly string[]): Promise<SourceRow[]>;
  rows(type: string, ids: readonly number[]): Promise<SourceRow[]>;
  /** All rows of a type. */
  all(type: string): Promise<SourceRow[]>;
}

/** Maximum number of requests for a document that keeps changing in a refresh. */
const maxRequests = 2;
/** Maximum number of documents in a refresh. For more, everything is loaded. */
const maxDocuments = 10_000;

/** More documents have changed than a refresh may request. */
export class TooManyChanges extends Error {}

/**
 * Requests documents that may have changed, and with them every row whose links have changed by that: the rows at the
 * other end of new links, whose lists have another order, and rows that link to a document that has new rows, because
 * Strapi writes a row with a new id at each publish and moves links to it.
 */
export class Refresh {
  readonly rows: FetchedRows;
  readonly #requests: RowRequests;
  readonly #schema: Schema;
  readonly #known: KnownRows;
  #types = new Set<string>();
  #documents = new Map<string, Set<string>>();
  #ids = new Map<string, Set<number>>();
  readonly #requested = new Map<string, number>();
  /** Documents that changed while they were requested, so that they have to be requested later. */
  readonly unsettled: { readonly type: string; readonly documentId: string }[] = [];

  constructor(schema: Schema, known: KnownRows, requests: RowRequests) {
    this.#schema = schema;
    this.#known = known;
    this.#requests = requests;
    this.rows = new FetchedRows(schema, known);
  }

  /** Adds all rows of a type to those that are requested. */
  addType(type: string): void {
    if (this.#requests.isReadable(type)) this.#types.add(type);
  }

  /** Adds a document. Throws TooManyChanges after ten thousand. */
  addDocument(type: string, documentId: string): void {
    if (!this.#requests.isReadable(type)) return;
    if (this.#requested.size >= maxDocuments) throw new TooManyChanges();
    const key = documentKey({ type, documentId });
    const count = this.#requested.get(key) ?? 0;
    const pending = this.#documents.get(type);
    if (pending?.has(documentId)) return;
    if (count >= maxRequests) {
      this.unsettled.push({ type, documentId });
      return;
    }
    this.#requested.set(key, count + 1);
    if (pending) pending.add(documentId);
    else this.#documents.set(type, new Set([documentId]));
  }

  /** Requests until no row is missing. Rejects with a SnapshotError, and then nothing has changed. */
  async run(): Promise<void> {
    while (this.#types.size + this.#documents.size + this.#ids.size > 0) {
      const [types, documents, ids] = [this.#types, this.#documents, this.#ids];
      this.#types = new Set();
      this.#documents = new Map();
      this.#ids = new Map();
      const taken = await Promise.all([
        ...Array.from(types, (type) => this.#takeType(type)),
        ...Array.from(documents, ([type, some]) => this.#takeDocuments(type, [...some])),
        ...Array.from(ids, ([type, some]) => this.#takeRows(type, [...some])),
      ]);
      const addresses = taken.flat();
      this.#addSources(addresses);
      for (const address of addresses) this.#addEnds(address);
    }
  }

  async #takeType(type: string): Promise<RowAddress[]> {
    const rows = await this.#requests.all(type);
    return this.#take(rows, Array.from(this.#known.ofType(type)));
  }

  async #takeDocuments(type: string, documentIds: string[]): Promise<RowAddress[]> {
    const rows = await this.#requests.documents(type, documentIds);
    const wanted = new Set<string | null>(documentIds);
    const known = documentIds.flatMap((documentId) => this.#known.ofDocument(type, documentId));
    // an earlier request of this refresh may have found rows that are gone now
    const earlier = Array.from(this.rows.all).flatMap(({ row }) =>
      row && row.type === type && wanted.has(row.documentId) ? [row] : [],
    );
    return this.#take(rows, [...known, ...earlier]);
  }

  /** Rows that nothing is known of. Their documents have other rows, perhaps. */
  async #takeRows(type: string, ids: number[]): Promise<RowAddress[]> {
    const rows = await this.#requests.rows(type, ids);
    for (const { documentId } of rows) if (documentId !== null) this.addDocument(type, documentId);
    return this.#take(
      rows,
      ids.map((id) => ({ type, id })),
    );
  }

  /** Takes rows. Those that were expected and are not among them are gone. Returns all. */
  #take(found: readonly SourceRow[], expected: readonly RowAddress[]): RowAddress[] {
    const ids = new Set(found.map(addressKey));
    for (const row of found) this.rows.set(row, row);
    const gone = expected.filter((row) => !ids.has(addressKey(row))).map(({ type, id }) => ({ type, id }));
    for (const address of gone) this.rows.set(address, null);
    return [...found, ...gone];
  }

  /** Adds the rows that link to documents with new rows, because Strapi moves links to these, or copies them. */
  #addSources(addresses: readonly RowAddress[]): void {
    const added = new Map<string, RowAddress>();
    for (const address of addresses) {
      const row = this.rows.get(address)?.row;
      if (!row || row.documentId === null || this.#known.get(row.type, row.id)) continue;
      added.set(documentKey(row), row);
      for (const version of this.#known.ofDocument(row.type, row.documentId)) {
        for (const source of this.#known.linkingTo(version)) this.#addRow(source);
      }
    }
    if (added.size === 0) return;
    for (const { row } of this.rows.all) if (row && this.#mayLack(row, added)) this.#addRow(row);
  }

  /** Whether a row links to a document and not to its new row, so that it may have been requested before that appeared. */
  #mayLack({ lists }: SourceRow, added: ReadonlyMap<string, RowAddress>): boolean {
    return lists.some(({ targets }) =>
      targets.some((target) => {
        const latest = this.rows.latest(target);
        const row = latest && added.get(documentKey(latest));
        return row && !targets.some((one) => isSameRow(one, row));
      }),
    );
  }

  /** Adds the rows at the other ends of links that are new, or that the other end does not confirm. */
  #addEnds(address: RowAddress): void {
    const row = this.rows.get(address)?.row;
    if (!row) return;
    const before = this.#known.get(row.type, row.id);
    const earlier = new Map((before?.lists ?? []).map((list) => [listKey(list), list.targets]));
    for (const list of row.lists) this.#addTargets(list, earlier.get(listKey(list)) ?? []);
    for (const { owner, attribute, inverse } of inverseSidesOf(this.#schema, row.type)) {
      const listed = new Set(row.sources.get(inverse));
      for (const id of listed) {
        if (!this.rows.links({ type: owner, id }, attribute, row)) this.#addRow({ type: owner, id });
      }
      const old = before?.sources.get(inverse) ?? [];
      for (const id of old) {
        if (!listed.has(id) && this.rows.links({ type: owner, id }, attribute, row)) {
          this.#addRow({ type: owner, id });
        }
      }
      for (const id of reattachedIn(old, [...listed])) {
        const last = this.rows.targetsOf({ type: owner, id }, attribute).at(-1);
        if (last && !isSameRow(last, row)) this.#addRow({ type: owner, id });
      }
    }
  }

  #addTargets(list: OwnList, before: OwnList['targets']): void {
    if (isSameList(list.targets, before)) return;
    const sides = sidesOf(this.#schema, list.type, list.attribute);
    for (const target of list.targets) {
      if (before.some((one) => isSameRow(one, target))) continue;
      const latest = this.rows.latest(target);
      const isListed = !sides || latest?.sources.get(sides.inverse)?.includes(list.id);
      if (!latest || !isListed) this.#addRow(target);
    }
  }

  #addRow({ type, id }: RowAddress): void {
    const latest = this.rows.latest({ type, id });
    if (latest && latest.documentId !== null) this.addDocument(type, latest.documentId);
    else if (!this.rows.get({ type, id }) && this.#requests.isReadable(type)) {
      mapAt(this.#ids, type, () => new Set<number>()).add(id);
    }
  }
}

/**
 * Returns the rows whose links in an inverse list were removed and made again since the list was read last. Such links
 * are at the end of both lists. The inverse list does not show it if they were at its end before.
 */
function reattachedIn(before: readonly number[], now: readonly number[]): readonly number[] {
  const places = new Map(before.map((id, i) => [id, i]));
  let greatest = -1;
  return now.filter((id) => {
    const place = places.get(id);
    if (place === undefined) return false;
    if (place < greatest) return true;
    greatest = place;
    return false;
  });
}
