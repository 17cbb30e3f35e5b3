import type { Allocator } from '../../../core/memory/allocator.ts';
import type { Adjacency, LinkPositions } from '../../links/adjacency.ts';

/**
 * Stores the positions of links in as little memory as they allow. The targets of `links` are numbers of links, by
 * which `keys` has the positions.
 */
export function packPositions(
  { offsets, targets: links }: Adjacency,
  keys: Float64Array,
  allocator: Allocator,
): LinkPositions {
  const first = links.length > 0 ? keys[links[0]] : 0;
  for (const step of [1, 0]) {
    if (isEvenlySpaced(offsets, links, keys, first, step)) return { values: null, first, step };
  }
  const isWhole = keys.every((key) => key >>> 0 === key);
  const values = isWhole ? allocator.uint32(links.length) : allocator.float64(links.length);
  for (let i = 0; i < links.length; i++) values[i] = keys[links[i]];
  return { values, first: 0, step: 0 };
}

function isEvenlySpaced(
  offsets: Uint32Array,
  links: Uint32Array,
  keys: Float64Array,
  first: number,
  step: number,
): boolean {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row];
    for (let i = start; i < offsets[row + 1]; i++) if (keys[links[i]] !== first + (i - start) * step) return false;
  }
  return true;
}
