import xxhash, { type XXHashAPI } from 'xxhash-wasm';
import { type Collection, columnOf } from '../store/collection.ts';
import type { NumberDictionary } from '../store/number-dictionary.ts';
import type { Store } from '../store/store.ts';
import { type OwnedLinks, ownedLinks } from './owned-links.ts';

/** 128 bits, in halves that are hashed apart. */
export interface RowDigest {
  readonly low: bigint;
  readonly high: bigint;
}

let hashes: XXHashAPI | null = null;

/** Compiles the hash function, once. Wait for it before making digests. */
export async function prepareDigests(): Promise<void> {
  hashes ??= await xxhash();
}

/** Bytes of one link: the hash of the target's type, its id, the position in its list, and the attribute showing it. */
const linkBytes = 24;
/** Bytes before the JSON: the hash of the type, the length of the JSON, and the status. */
const headBytes = 12;

/** The links of one attribute as a digest covers them. */
interface DigestedLinks extends OwnedLinks {
  readonly nameHash: number;
}

/** Digests the rows of one store. The digest of a row covers no row numbers, so it is the same in any store. */
export class RowDigests {
  readonly #collections: readonly Collection[];
  readonly #hash: XXHashAPI;
  readonly #typeHashes: readonly number[];
  readonly #ids: readonly Float64Array[];
  /** The links of each collection's attributes. */
  readonly #links: readonly (readonly DigestedLinks[])[];
  #bytes = Buffer.alloc(4096);
  #view = new DataView(this.#bytes.buffer);

  constructor(store: Pick<Store, 'schema' | 'collections'>) {
    if (!hashes) throw new Error('wait for prepareDigests() first');
    const hash = hashes;
    this.#hash = hash;
    this.#collections = store.collections;
    this.#typeHashes = store.collections.map(({ type }) => hash.h32(type.uid));
    this.#ids = store.collections.map((one) => (columnOf(one, 'id').dictionary as NumberDictionary).values);
    const owned = ownedLinks(store).map((one) => ({ ...one, nameHash: hash.h32(one.attribute) }));
    this.#links = store.collections.map((collection) => owned.filter((one) => one.collection === collection));
  }

  /** The digest of a row: its type, JSON and status, and its links in order, each with id and type of its target. */
  of(collection: number, row: number): RowDigest {
    const { jsonRows, published } = this.#collections[collection];
    const { bytes, offsets, names } = jsonRows;
    const first = row * (names.length + 1);
    const start = offsets[first];
    const length = offsets[first + names.length] - start;
    this.#reserve(0, headBytes + length);
    this.#view.setUint32(0, this.#typeHashes[collection]);
    this.#view.setUint32(4, length);
    this.#view.setUint32(8, published && !published.has(row) ? 1 : 0);
    this.#bytes.set(bytes.subarray(start, start + length), headBytes);
    let end = headBytes + length;
    for (const links of this.#links[collection]) end = this.#addLinks(links, row, end);
    const written = this.#bytes.subarray(0, end);
    return { low: this.#hash.h64Raw(written, 0n), high: this.#hash.h64Raw(written, 1n) };
  }

  #addLinks(owned: DigestedLinks, row: number, start: number): number {
    const { offsets, targets } = owned.links;
    const from = offsets[row];
    const count = offsets[row + 1] - from;
    if (count === 0) return start;
    this.#reserve(start, 8 + count * linkBytes);
    const view = this.#view;
    view.setUint32(start, owned.nameHash);
    view.setUint32(start + 4, count);
    let end = start + 8;
    for (let i = 0; i < count; i++, end += linkBytes) {
      const link = from + i;
      const collection = owned.targetCollection(link);
      view.setUint32(end, this.#typeHashes[collection]);
      view.setFloat64(end + 4, this.#ids[collection][targets[link]]);
      view.setFloat64(end + 12, owned.inversePosition(link, i));
      view.setUint32(end + 20, owned.shownBy(link));
    }
    return end;
  }

  /** Makes room for `bytes` more. */
  #reserve(end: number, bytes: number): void {
    if (end + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc((end + bytes) * 2);
    this.#bytes.copy(larger, 0, 0, end);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
