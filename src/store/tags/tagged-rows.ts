import type { Segment } from '../segment.ts';
import { draftsOf } from './tags.ts';

/** Returns what tags name for a row: the uid of its type, or that of the drafts of the type. */
export function taggedRowsOf({ collection: { type }, published }: Segment, row: number): string {
  return published === null || published.has(row) ? type.uid : draftsOf(type.uid);
}

/** Returns what tags name for a row that had the other status. */
export function otherRowsOf(segment: Segment, row: number): string {
  const { uid } = segment.collection.type;
  return segment.published && taggedRowsOf(segment, row) === uid ? draftsOf(uid) : uid;
}
