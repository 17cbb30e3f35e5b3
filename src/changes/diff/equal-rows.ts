import { type Collection, columnOf } from '../../store/collection.ts';
import type { NumberDictionary } from '../../store/columns/number-dictionary.ts';
import { jsonOf, readNumber } from '../../store/read-value.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { type OwnedLinks, ownLinksOf } from '../../store/writer/links/owned-links.ts';

/** A store with its links, which are collected once. */
export interface LinkedStore {
  readonly store: Store;
  readonly links: readonly OwnedLinks[];
}

/** The links of one attribute in both stores; null where it has none. */
type LinkPair = readonly [OwnedLinks | null, OwnedLinks | null];

/** Compares rows of two stores by their bytes and links, and parses nothing. */
export class EqualRows {
  readonly #before: LinkedStore;
  readonly #after: LinkedStore;
  /** The ids of the rows of each collection. */
  readonly #ids: readonly RowIds[];
  readonly #otherIds: readonly RowIds[];

  constructor(before: LinkedStore, after: LinkedStore) {
    this.#before = before;
    this.#after = after;
    this.#ids = before.store.segments.map(rowIdsOf);
    this.#otherIds = after.store.segments.map(rowIdsOf);
  }

  /**
   * Returns whether a row of a segment of the first store equals a row of the segment of the same type in the second
   * one. Equal rows have the same id, values, status and links, as rows of equal digest do
   * (store/writer/rows/row-digest.ts). On 100,000 entries this takes 0.4 of the time of computing digests of both.
   */
  ofType(one: Segment, other: Segment): (row: number, otherRow: number) => boolean {
    const [isEqualJson, pairs] = [jsonComparison(one, other), this.#pairs(one, other)];
    const isDraft = ({ published }: Segment, row: number) => published !== null && !published.has(row);
    return (row, otherRow) =>
      isEqualJson(row, otherRow) &&
      isDraft(one, row) === isDraft(other, otherRow) &&
      pairs.every((pair) => this.#hasEqualLinks(pair, row, otherRow));
  }

  #pairs({ collection: one }: Segment, { collection: other }: Segment): LinkPair[] {
    const [links, otherLinks] = [linksOf(this.#before, one), linksOf(this.#after, other)];
    const names = new Set([...links, ...otherLinks].map(({ attribute }) => attribute));
    const find = (list: OwnedLinks[], name: string) => list.find(({ attribute }) => attribute === name) ?? null;
    return Array.from(names, (name): LinkPair => [find(links, name), find(otherLinks, name)]);
  }

  #hasEqualLinks([one, other]: LinkPair, row: number, otherRow: number): boolean {
    if (isPatched(one, row) || isPatched(other, otherRow)) return this.#hasEqualLists([one, other], row, otherRow);
    const count = countOf(one, row);
    if (count !== countOf(other, otherRow)) return false;
    if (one?.links.targets === other?.links.targets && row === otherRow) return true;
    for (let i = 0; i < count; i++) if (!this.#isEqualLink(one!, row, other!, otherRow, i)) return false;
    return true;
  }

  #isEqualLink(one: OwnedLinks, row: number, other: OwnedLinks, otherRow: number, i: number): boolean {
    const [link, otherLink] = [one.links.offsets[row] + i, other.links.offsets[otherRow] + i];
    return (
      this.#isEqualTarget(
        [one.targetCollection(link), one.links.targets[link]],
        [other.targetCollection(otherLink), other.links.targets[otherLink]],
      ) &&
      one.inversePosition(link, i) === other.inversePosition(otherLink, i) &&
      one.shownBy(link) === other.shownBy(otherLink)
    );
  }

  /** As `#hasEqualLinks`, for a row whose links have changed since its store was loaded. */
  #hasEqualLists([one, other]: LinkPair, row: number, otherRow: number): boolean {
    const list = one ? ownLinksOf(one.owning, row) : [];
    const otherList = other ? ownLinksOf(other.owning, otherRow) : [];
    return (
      list.length === otherList.length &&
      list.every((link, i) => {
        const otherLink = otherList[i];
        return (
          this.#isEqualTarget([link.collection, link.row], [otherLink.collection, otherLink.row]) &&
          link.inversePosition === otherLink.inversePosition &&
          link.shownBy === otherLink.shownBy
        );
      })
    );
  }

  #isEqualTarget(
    [number, row]: readonly [number, number],
    [otherNumber, otherRow]: readonly [number, number],
  ): boolean {
    const typeOf = ({ store }: LinkedStore, collection: number) => store.collections[collection].type.uid;
    return (
      typeOf(this.#before, number) === typeOf(this.#after, otherNumber) &&
      this.#ids[number](row) === this.#otherIds[otherNumber](otherRow)
    );
  }
}

/** Returns the id of each row, ascending. */
export function idsOf(collection: Collection): Float64Array {
  return (columnOf(collection, 'id').dictionary as NumberDictionary).values;
}

/** Returns the id of a row. */
type RowIds = (row: number) => number;

/** A row of the collection keeps its id. */
export function rowIdsOf(segment: Segment): RowIds {
  const ids = idsOf(segment.collection);
  return (row) => (row < ids.length ? ids[row] : readNumber(segment, row, 'id')!);
}

function linksOf({ links }: LinkedStore, collection: Collection): OwnedLinks[] {
  return links.filter((owned) => owned.collection === collection);
}

function isPatched(owned: OwnedLinks | null, row: number): boolean {
  return owned?.links.patch?.rows.has(row) ?? false;
}

function countOf(owned: OwnedLinks | null, row: number): number {
  return owned ? owned.links.offsets[row + 1] - owned.links.offsets[row] : 0;
}

function jsonComparison(one: Segment, other: Segment): (row: number, otherRow: number) => boolean {
  const hasDelta = one.delta !== null || other.delta !== null;
  const [bytes, otherBytes] = [one, other].map(({ collection }) => bufferOf(collection.jsonRows.bytes));
  const compare = (row: number, otherRow: number) => {
    const [start, end] = one.collection.jsonRows.bounds(row);
    const [otherStart, otherEnd] = other.collection.jsonRows.bounds(otherRow);
    return end - start === otherEnd - otherStart && bytes.compare(otherBytes, otherStart, otherEnd, start, end) === 0;
  };
  if (!hasDelta) return compare;
  return (row, otherRow) => bytesOfRow(one, row).equals(bytesOfRow(other, otherRow));
}

function bytesOfRow(segment: Segment, row: number): Buffer {
  const { rows, at } = jsonOf(segment, row);
  return bufferOf(rows.bytes.subarray(...rows.bounds(at)));
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
