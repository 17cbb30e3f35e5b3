import { createHash, type Hash } from 'node:crypto';
import type { Collection } from '../store/collection.ts';
import type { JsonRows } from '../store/json-rows.ts';
import { isInRowOrder } from './json-rows-in-order.ts';

/** Bytes that are hashed by one call, which takes less than 2 GiB. */
const hashedBytes = 2 ** 30;

/** Returns a digest in hexadecimal that is equal for equal content, in whatever order its entries were loaded. */
export function contentVersion(collections: readonly Collection[], defaultLocale: string): string {
  const hash = createHash('sha256').update(JSON.stringify(defaultLocale));
  const add = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => {
    for (let at = 0; at < byteLength; at += hashedBytes) {
      hash.update(new Uint8Array(buffer, byteOffset + at, Math.min(hashedBytes, byteLength - at)));
    }
  };
  for (const { type, jsonRows, links, polymorphic, allRows, published } of collections) {
    hash.update(JSON.stringify([type, Array.from(type.attributes.values())]));
    if (isInRowOrder(jsonRows)) add(jsonRows.bytes);
    else addEachRow(hash, jsonRows);
    add(fragmentStarts(jsonRows));
    add((published ?? allRows).words);
    for (const { forward } of links.values()) for (const array of [forward.offsets, forward.targets]) add(array);
    for (const { offsets, targets, collections } of polymorphic.values()) {
      for (const array of [offsets, targets, collections]) add(array);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function addEachRow(hash: Hash, { bytes, offsets, names }: JsonRows): void {
  const stride = names.length + 1;
  for (let first = 0; first < offsets.length; first += stride) {
    hash.update(bytes.subarray(offsets[first], offsets[first + stride - 1]));
  }
}

/** Returns where each fragment begins in its row. */
function fragmentStarts({ offsets, names }: JsonRows): Uint32Array {
  const stride = names.length + 1;
  return offsets.map((offset, i) => offset - offsets[i - (i % stride)]);
}
