import { patchedLinks } from '../store/link-patch.ts';
import { linksTag, rowTag, type Tag } from '../store/tags.ts';
import type { EntryProjection, PartProjection } from './projection.ts';

/**
 * Collects the tags of what a reply shows: its rows and their links, and the rows that links lead to but that are not
 * shown. Stops when there are more than `limit` tags. Returns whether it found all.
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
  const patched = links.patch && patchedLinks(links.patch, row);
  const targets = patched ? patched.targets : links.targets;
  const start = patched ? 0 : links.offsets[row];
  const end = patched ? targets.length : links.offsets[row + 1];
  for (let i = start; i < end && tags.size <= limit; i++) {
    const target = part.kind === 'relation' ? part : part.targets[(patched?.collections ?? part.links.collections)[i]];
    if (!target) continue;
    if (target.selected && !target.selected.has(targets[i])) {
      tags.add(rowTag(target.entry.collection, targets[i]));
      continue;
    }
    collectEntry(target.entry, targets[i], tags, limit);
    if (!part.many) return;
  }
}
