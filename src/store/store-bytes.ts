import { arraysOf } from './attach-store.ts';
import { viewsOf } from './flat-arrays.ts';
import type { Store } from './store.ts';

/** Returns the bytes of the base of a store, without changes and without what is derived from it. */
export function storeBytes(store: Store): number {
  const { buffers } = viewsOf(arraysOf(store).arrays);
  return buffers.reduce((total, { byteLength }) => total + byteLength, 0);
}
