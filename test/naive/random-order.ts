/** The place of a document in the order of `sort=$random:SEED`: 32-bit FNV-1a, finished as murmur3 is. */
export function orderOf(seed: string, documentId: string): number {
  let hash = 0x811c9dc5n;
  for (const byte of new TextEncoder().encode(`${seed}:${documentId}`)) {
    hash = product(hash ^ BigInt(byte), 0x01000193n);
  }
  hash ^= hash >> 16n;
  hash = product(hash, 0x85ebca6bn);
  hash ^= hash >> 13n;
  hash = product(hash, 0xc2b2ae35n);
  hash ^= hash >> 16n;
  return Number(hash);
}

function product(a: bigint, b: bigint): bigint {
  return (a * b) % 2n ** 32n;
}
