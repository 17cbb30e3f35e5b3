import { createHash } from 'node:crypto';
import type { XXHashAPI } from 'xxhash-wasm';
import xxhash from 'xxhash-wasm';
import type { EntryType } from '../../../model/schema/schema.ts';
import { type Collection, columnOf } from '../../collection.ts';
import type { NumberDictionary } from '../../columns/number-dictionary.ts';
import type { Store } from '../../store.ts';
import { type OwnedLinks, ownedLinks } from '../links/owned-links.ts';

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

/** Returns a digest of 53 bits, as a whole number. */
export function shortDigest(content: string | Uint8Array): number {
  if (!hashes) throw new Error('wait for prepareDigests() first');
  const digest = typeof content === 'string' ? hashes.h64(content) : hashes.h64Raw(content);
  return Number(BigInt.asUintN(53, digest));
}

/** Bytes of one link: the hash of the target's type, its id, the position in its list, and the attribute showing it. */
const linkBytes = 24;
/** Bytes before the JSON: the hash of the type, the length of the JSON, and the status. */
const headBytes = 12;

/** The links of one attribute as a digest covers them. */
interface DigestedLinks extends OwnedLinks {
  readonly nameHash: number;
}

/** Writes what the digest of a row covers, one row after the other. */
export class RowEncoder {
  readonly #hash: XXHashAPI;
  #bytes = Buffer.alloc(4096);
  #view = new DataView(this.#bytes.buffer);
  #end = 0;

  constructor() {
    if (!hashes) throw new Error('wait for prepareDigests() first');
    this.#hash = hashes;
  }

  /** Returns the hash of a name, by which types and attributes are written. */
  hashOf(name: string): number {
    return this.#hash.h32(name);
  }

  /** Begins a row: its type, status and JSON, which is bytes `start` to `end`. */
  begin(typeHash: number, isDraft: boolean, bytes: Uint8Array, start: number, end: number): void {
    this.#end = 0;
    this.#reserve(headBytes + end - start);
    this.#view.setUint32(0, typeHash);
    this.#view.setUint32(4, end - start);
    this.#view.setUint32(8, isDraft ? 1 : 0);
    this.#bytes.set(bytes.subarray(start, end), headBytes);
    this.#end = headBytes + end - start;
  }

  /** Begins the links of an attribute. There is at least one. */
  beginLinks(nameHash: number, count: number): void {
    this.#reserve(8 + count * linkBytes);
    this.#view.setUint32(this.#end, nameHash);
    this.#view.setUint32(this.#end + 4, count);
    this.#end += 8;
  }

  addLink(typeHash: number, id: number, inversePosition: number, shownBy: number): void {
    const view = this.#view;
    const end = this.#end;
    view.setUint32(end, typeHash);
    view.setFloat64(end + 4, id);
    view.setFloat64(end + 12, inversePosition);
    view.setUint32(end + 20, shownBy);
    this.#end = end + linkBytes;
  }

  digest(): RowDigest {
    const written = this.#bytes.subarray(0, this.#end);
    return { low: this.#hash.h64Raw(written, 0n), high: this.#hash.h64Raw(written, 1n) };
  }

  /** Makes room for `bytes` more. */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc((this.#end + bytes) * 2);
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Digests the rows of one store. The digest of a row covers no row numbers, so it is the same in any store. */
export class RowDigests {
  readonly #collections: readonly Collection[];
  readonly #encoder = new RowEncoder();
  readonly #typeHashes: readonly number[];
  readonly #ids: readonly Float64Array[];
  /** The links of each collection's attributes. */
  readonly #links: readonly (readonly DigestedLinks[])[];

  /** The store has no changes. */
  constructor(store: Pick<Store, 'schema' | 'collections'>) {
    const encoder = this.#encoder;
    this.#collections = store.collections;
    this.#typeHashes = store.collections.map(({ type }) => encoder.hashOf(type.uid));
    this.#ids = store.collections.map((one) => (columnOf(one, 'id').dictionary as NumberDictionary).values);
    const owned = ownedLinks(store).map((one) => ({ ...one, nameHash: encoder.hashOf(one.attribute) }));
    this.#links = store.collections.map((collection) => owned.filter((one) => one.collection === collection));
  }

  /** The digest of a row: its type, JSON and status, and its links in order, each with id and type of its target. */
  of(collection: number, row: number): RowDigest {
    const { jsonRows, published } = this.#collections[collection];
    const isDraft = published !== null && !published.has(row);
    const start = jsonRows.starts[row];
    this.#encoder.begin(this.#typeHashes[collection], isDraft, jsonRows.bytes, start, start + jsonRows.bytesOf(row));
    for (const links of this.#links[collection]) this.#addLinks(links, row);
    return this.#encoder.digest();
  }

  #addLinks(owned: DigestedLinks, row: number): void {
    const { offsets, targets } = owned.links;
    const from = offsets[row];
    const count = offsets[row + 1] - from;
    if (count === 0) return;
    this.#encoder.beginLinks(owned.nameHash, count);
    for (let i = 0; i < count; i++) {
      const link = from + i;
      const collection = owned.targetCollection(link);
      const id = this.#ids[collection][targets[link]];
      this.#encoder.addLink(this.#typeHashes[collection], id, owned.inversePosition(link, i), owned.shownBy(link));
    }
  }
}

const hexDigits = 16;

/**
 * The digest of a content: the sum of the digests of its rows and of its settings, modulo 2^128. So it is the same in
 * whatever order rows came, and a change subtracts rows and adds others. It finds differences, but does not protect
 * from forgery: whoever writes content can make one with a given digest.
 */
export class ContentDigest {
  /** The high and the low half. Additions wrap around. */
  readonly #halves = new BigUint64Array(2);

  /** `version` is that of a content; default: nothing. */
  constructor(version = '') {
    this.add(halvesOf(version));
  }

  add({ high, low }: RowDigest): void {
    this.#halves[0] += high;
    this.#halves[1] += low;
  }

  subtract({ high, low }: RowDigest): void {
    this.#halves[0] -= high;
    this.#halves[1] -= low;
  }

  /** 32 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#halves, (half) => half.toString(16).padStart(hexDigits, '0')).join('');
  }
}

function halvesOf(digest: string): RowDigest {
  return { high: BigInt(`0x0${digest.slice(0, hexDigits)}`), low: BigInt(`0x0${digest.slice(hexDigits)}`) };
}

/** Returns the version of a content: equal for equal content, on any machine. */
export function contentDigest(store: Pick<Store, 'schema' | 'collections'>, defaultLocale: string): string {
  const digest = new ContentDigest(settingsDigest(sortedTypes(store), defaultLocale));
  const rows = new RowDigests(store);
  for (const { number, rowCount } of store.collections) {
    for (let row = 0; row < rowCount; row++) digest.add(rows.of(number, row));
  }
  return digest.toString();
}

/** Returns the version that content had until 2026-11-23: it depended on the order of the types. */
export function digestByTypeOrder(store: Pick<Store, 'contentDigest' | 'collections' | 'defaultLocale'>): string {
  const digest = new ContentDigest(store.contentDigest);
  digest.subtract(halvesOf(settingsDigest(sortedTypes(store), store.defaultLocale)));
  digest.add(halvesOf(settingsDigest(typesOf(store), store.defaultLocale)));
  return digest.toString();
}

/** Whether content of this version is that of a store. The version may be that of an image from before 2026-11-24. */
export function isVersionOf(
  store: Pick<Store, 'contentDigest' | 'collections' | 'defaultLocale'>,
  version: string,
): boolean {
  return store.contentDigest === version || digestByTypeOrder(store) === version;
}

function settingsDigest(types: readonly EntryType[], defaultLocale: string): string {
  const written = types.map((type) => [type, Array.from(type.attributes.values())]);
  return createHash('sha256')
    .update(JSON.stringify([defaultLocale, written]))
    .digest('hex')
    .slice(0, hexDigits * 2);
}

/** The order of attributes shows in replies; the order of types does not. */
function sortedTypes(store: Pick<Store, 'collections'>): EntryType[] {
  return typesOf(store).sort((a, b) => (a.uid < b.uid ? -1 : 1));
}

function typesOf({ collections }: Pick<Store, 'collections'>): EntryType[] {
  return collections.map(({ type }) => type);
}
