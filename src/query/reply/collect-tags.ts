import { collectionsOf, targetsOf } from '../../store/links/adjacency.ts';
import { linksTag, presenceTag, rowTag, type Tag } from '../../store/tags/tags.ts';
import type { EntryProjection, PartProjection } from './projection.ts';

/**
 * Collects the tags of what a reply shows: its rows and their links, and the presence of rows that links lead to but
 * that are not shown. Stops when there are more than `limit` tags. Returns whether it found all.
 */
export function collectTags(
  projection: EntryProjection,
  rows: ArrayLike<number>,
  tags: Set<Tag>,
  limit: number,
): boolean {
  for (let i = 0; i < rows.length && tags.size <= limit; i++) collectEntry(projection, rows[i], tags, limit);
  return tags.size <= limit;
}

function collectEntry({ collection, parts }: EntryProjection, row: number, tags: Set<Tag>, limit: number): void {
  tags.add(rowTag(collection, row));
  for (const part of parts) collectPart(part, row, tags, limit);
}

function collectPart(part: PartProjection, row: number, tags: Set<Tag>, limit: number): void {
  const { links } = part;
  tags.add(linksTag(part.attribute, row));
  // the query depends on all rows of a type that it counts
  if (part.count) return;
  const targets = targetsOf(links, row);
  const collections = part.kind === 'relation' ? null : collectionsOf(part.links, row);
  for (let i = 0; i < targets.length && tags.size <= limit; i++) {
    const target = part.kind === 'relation' ? part : part.targets[collections![i]];
    if (!target) continue;
    if (target.selected && !target.selected.has(targets[i])) {
      tags.add(presenceTag(target.entry.collection, targets[i]));
      continue;
    }
    collectEntry(target.entry, targets[i], tags, limit);
    if (!part.many) return;
  }
}
