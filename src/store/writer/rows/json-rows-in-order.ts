import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { JsonRows } from '../../json-rows.ts';
import { Segment } from '../../segment.ts';
import { createStore, type Store } from '../../store.ts';

/** Returns the store with the bytes of its serialised rows in row order, so that equal content has equal bytes. */
export function withRowsInOrder(store: Store): Store {
  const collections = store.collections.map((collection) =>
    Object.freeze({ ...collection, jsonRows: jsonRowsInOrder(collection.jsonRows) }),
  );
  return createStore(
    store,
    collections.map((collection) => new Segment(collection)),
  );
}

/** Whether the bytes of rows follow each other in row order. A load leaves them in the order of the file. */
export function isInRowOrder({ offsets }: JsonRows): boolean {
  for (let i = 1; i < offsets.length; i++) if (offsets[i - 1] > offsets[i]) return false;
  return true;
}

/** Copies serialised rows in row order. Returns the same if they are in order. */
export function jsonRowsInOrder(rows: JsonRows, allocator: Allocator = heapAllocator): JsonRows {
  const { bytes, names } = rows;
  if (isInRowOrder(rows)) return rows;
  const stride = names.length + 1;
  const ordered = allocator.bytes(bytes.length);
  const offsets = allocator.uint32(rows.offsets.length);
  let end = 0;
  for (let first = 0; first < offsets.length; first += stride) {
    const start = rows.offsets[first];
    for (let i = 0; i < stride; i++) offsets[first + i] = rows.offsets[first + i] - start + end;
    const length = rows.offsets[first + stride - 1] - start;
    ordered.set(bytes.subarray(start, start + length), end);
    end += length;
  }
  // the memory is not cleared, so bytes that no row has would be those of something else
  if (end !== bytes.length) throw new Error(`the rows have ${end} of ${bytes.length} bytes of JSON`);
  return new JsonRows(ordered, offsets, names);
}
