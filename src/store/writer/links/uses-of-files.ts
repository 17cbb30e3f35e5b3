import type { Allocator } from '../../../core/memory/allocator.ts';
import { GrowableDoubles, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { type Adjacency, type PolymorphicAdjacency, positionAt } from '../../links/adjacency.ts';
import { linksBySource, replaceEach } from './link-list.ts';

/** The links of a media attribute, from the rows of a collection to files. */
export interface MediaLinks {
  readonly collection: number;
  readonly links: Adjacency;
}

/**
 * Returns where files are used: the links of media attributes, seen from the files. Strapi lists the uses of a file by
 * its position in the media list of each entry (recorded in test/conformance/almanac). Uses at the same position are in
 * the order of types, attributes and rows.
 */
export function usesOfFiles(
  media: readonly MediaLinks[],
  fileCount: number,
  allocator: Allocator,
): PolymorphicAdjacency {
  const files = new GrowableNumbers();
  const users = new GrowableNumbers();
  const collections = new GrowableNumbers();
  const positions = new GrowableDoubles();
  for (const { collection, links } of media) {
    const { offsets, targets } = links;
    for (let row = 0; row + 1 < offsets.length; row++) {
      for (let link = offsets[row]; link < offsets[row + 1]; link++) {
        files.push(targets[link]);
        users.push(row);
        collections.push(collection);
        positions.push(positionAt(links.positions!, link, link - offsets[row]));
      }
    }
  }
  const compare = (a: number, b: number) => positions.at(a) - positions.at(b);
  const uses = linksBySource(files.take(), fileCount, compare, allocator);
  const collectionOf = allocator.uint16(uses.targets.length);
  for (let i = 0; i < collectionOf.length; i++) collectionOf[i] = collections.at(uses.targets[i]);
  replaceEach(uses.targets, (link) => users.at(link));
  return { ...uses, collections: collectionOf, inversePositions: null, shownBy: null };
}
