/** Below so many texts insertion is quicker than partitioning. */
const few = 12;

/**
 * Sorts texts by their bytes, so by code point: text t is `bytes[starts[t]]` up to `bytes[starts[t + 1]]`, and `order`
 * holds the numbers of the texts. Three-way radix quicksort: each byte of a common start is looked at once for each
 * text, whatever the number of texts, and equal texts come to stand side by side in no certain order.
 */
export function sortTexts(bytes: Uint8Array, starts: Uint32Array, order: Uint32Array): void {
  /** The byte at `depth`, or -1 where the text has ended. */
  const byteAt = (text: number, depth: number): number => {
    const at = starts[text] + depth;
    return at < starts[text + 1] ? bytes[at] : -1;
  };

  /** Whether text `a` stands before text `b`; both are known to be equal up to `depth`. */
  const isBefore = (a: number, b: number, depth: number): boolean => {
    const startOfB = starts[b] - starts[a];
    const end = Math.min(starts[a + 1], starts[b + 1] - startOfB);
    for (let at = starts[a] + depth; at < end; at++) {
      if (bytes[at] !== bytes[at + startOfB]) return bytes[at] < bytes[at + startOfB];
    }
    return starts[a + 1] - starts[a] < starts[b + 1] - starts[b];
  };

  const insert = (low: number, high: number, depth: number): void => {
    for (let i = low + 1; i < high; i++) {
      const text = order[i];
      let at = i;
      for (; at > low && isBefore(text, order[at - 1], depth); at--) order[at] = order[at - 1];
      order[at] = text;
    }
  };

  // parts that are still to be sorted: first, end, and the number of bytes that all texts in it share
  const parts = [0, order.length, 0];
  while (parts.length > 0) {
    const depth = parts.pop()!;
    const high = parts.pop()!;
    const low = parts.pop()!;
    if (high - low <= few) {
      insert(low, high, depth);
      continue;
    }
    const pivot = middle(
      byteAt(order[low], depth),
      byteAt(order[(low + high) >>> 1], depth),
      byteAt(order[high - 1], depth),
    );
    let less = low;
    let greater = high;
    for (let i = low; i < greater; ) {
      const text = order[i];
      const byte = byteAt(text, depth);
      if (byte < pivot) {
        order[i++] = order[less];
        order[less++] = text;
      } else if (byte > pivot) {
        order[i] = order[--greater];
        order[greater] = text;
      } else i++;
    }
    parts.push(low, less, depth, greater, high, depth);
    if (pivot >= 0) parts.push(less, greater, depth + 1);
  }
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
