/** The place of a document in the order of `sort=$random:SEED`. */
export function orderOf(seed: string, documentId: string): number {
  return Number(finished(hashOf(`${seed}:${documentId}`)));
}

/** 32-bit FNV-1a over the UTF-8 of a text. */
export function hashOf(text: string): bigint {
  let hash = 0x811c9dc5n;
  for (const byte of new TextEncoder().encode(text)) hash = product(hash ^ BigInt(byte), 0x01000193n);
  return hash;
}

/** The end of the 32-bit murmur3, by which neighbours are mixed. */
export function finished(hash: bigint): bigint {
  let mixed = hash;
  mixed ^= mixed >> 16n;
  mixed = product(mixed, 0x85ebca6bn);
  mixed ^= mixed >> 13n;
  mixed = product(mixed, 0xc2b2ae35n);
  return mixed ^ (mixed >> 16n);
}

function product(a: bigint, b: bigint): bigint {
  return (a * b) % 2n ** 32n;
}
