/** Fewer texts than this are sorted by insertion, which is then faster than partitioning. */
const insertionLimit = 12;

/**
 * Sorts texts by their bytes, which is by code point. Text t is `bytes[starts[t]]` up to `bytes[starts[t + 1]]`, and
 * `order` holds the numbers of the texts. Three-way radix quicksort: it reads each byte of a common prefix once for
 * each text, however many texts there are. Equal texts are adjacent afterwards, in no particular order.
 */
export function sortTexts(bytes: Uint8Array, starts: Uint32Array, order: Uint32Array): void {
  /** The byte at `depth`, or -1 where the text has ended. */
  const byteAt = (text: number, depth: number): number => {
    const at = starts[text] + depth;
    return at < starts[text + 1] ? bytes[at] : -1;
  };

  /** Whether text `a` is less than text `b`. Both must be equal up to `depth`. */
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

  // parts still to be sorted, as triples: first, end, and the length of the prefix that their texts share
  const parts = [0, order.length, 0];
  while (parts.length > 0) {
    const depth = parts.pop()!;
    const high = parts.pop()!;
    const low = parts.pop()!;
    if (high - low <= insertionLimit) {
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
