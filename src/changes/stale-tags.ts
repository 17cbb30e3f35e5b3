import { symmetricDifference } from '../core/sets/bit-set.ts';
import type { Steps } from '../core/steps.ts';
import type { Adjacency } from '../store/links/adjacency.ts';
import { patchedLinks } from '../store/links/link-patch.ts';
import { isSameList } from '../store/overlay/patched-lists.ts';
import { jsonOf, type RowJson, readValue } from '../store/read-value.ts';
import type { Segment } from '../store/segment.ts';
import type { Store } from '../store/store.ts';
import {
  attributeTag,
  identifiersOf,
  identifierTag,
  linksTag,
  presenceTag,
  rowsTag,
  rowTag,
  type Tag,
  taggedRowsOf,
  typeTag,
} from '../store/tags/tags.ts';

/** A batch with more tags than this makes everything stale: naming its changes would take longer than making them. */
const maximumTags = 20_000;

/**
 * Returns the tags of all that differs between a store and the one that a batch of changes led to. Null for a batch
 * that changes so much that everything counts as stale. `upserted` are the rows that the batch wrote, by collection
 * number. Takes a time that grows with the batch, its deleted rows and the patches of links. A step takes one row that
 * differs.
 */
export function* staleTagsInSteps(
  before: Store,
  after: Store,
  upserted: ReadonlyMap<number, readonly number[]>,
): Steps<Set<Tag> | null> {
  const tags = new Set<Tag>();
  for (const segment of after.segments) {
    const earlier = before.segments[segment.collection.number];
    if (earlier === segment) continue;
    const written = upserted.get(segment.collection.number) ?? [];
    if (!(yield* addRowsInSteps(tags, earlier, segment, written))) return null;
    if (!(yield* addLinksInSteps(tags, after, earlier, segment))) return null;
  }
  return tags;
}

/** The attributes whose change moves a row between scopes or documents. */
const placing: ReadonlySet<string> = new Set(['documentId', 'locale']);

/** Returns false if there are too many tags. */
function* addRowsInSteps(
  tags: Set<Tag>,
  earlier: Segment,
  segment: Segment,
  upserted: readonly number[],
): Steps<boolean> {
  const { number } = segment.collection;
  for (const row of joinedOrLeft(earlier, segment)) {
    tags.add(rowTag(number, row)).add(presenceTag(number, row));
    for (const state of [earlier, segment]) if (isShown(state, row)) addState(tags, state, row, [], true);
    if (tags.size > maximumTags) return false;
    yield;
  }
  for (const row of upserted) {
    if (!isShown(earlier, row) || !isShown(segment, row)) continue;
    const states = [earlier, segment].map((state): RowState => [state, jsonOf(state, row)]);
    tags.add(rowTag(number, row));
    const names = changedAttributes(states[0], states[1], row);
    const hasOtherStatus = taggedRowsOf(segment, row) !== taggedRowsOf(earlier, row);
    if (hasOtherStatus) tags.add(presenceTag(number, row));
    const isMoved = hasOtherStatus || names.some((name) => placing.has(name));
    for (const state of [earlier, segment]) addState(tags, state, row, names, isMoved);
    if (tags.size > maximumTags) return false;
    yield;
  }
  return true;
}

/** Whether a row exists in a segment and is shown. */
function isShown(segment: Segment, row: number): boolean {
  return row < segment.rowCount && segment.isLive(row);
}

/** Returns the rows that exactly one of two segments shows. */
function joinedOrLeft(earlier: Segment, segment: Segment): number[] {
  return symmetricDifference(earlier.live ?? earlier.allRows, segment.live ?? segment.allRows);
}

/**
 * Adds the tags of a row in one state: those of its changed attributes, and of the rows of its type if it joined or
 * left them.
 */
function addState(tags: Set<Tag>, segment: Segment, row: number, names: readonly string[], isMoved: boolean): void {
  const rows = taggedRowsOf(segment, row);
  tags.add(typeTag(rows));
  if (isMoved) tags.add(rowsTag(rows));
  for (const name of names) tags.add(attributeTag(rows, name));
  for (const { name } of identifiersOf(segment.collection.type)) {
    tags.add(identifierTag(rows, name, readValue(segment, row, name)));
  }
}

type RowState = readonly [segment: Segment, json: RowJson];

/**
 * Returns the attributes with another fragment or value. A rewritten address of a file may differ in its value alone.
 */
function changedAttributes([earlier, earlierJson]: RowState, [segment, json]: RowState, row: number): string[] {
  return json.rows.names.filter(
    (name, i) =>
      !fragment(json, i).equals(fragment(earlierJson, i)) ||
      readValue(segment, row, name) !== readValue(earlier, row, name),
  );
}

function fragment({ rows, at }: RowJson, i: number): Buffer {
  const { buffer, byteOffset, length } = rows.fragment(at, i);
  return Buffer.from(buffer, byteOffset, length);
}

/** Returns false if there are too many tags. */
function* addLinksInSteps(tags: Set<Tag>, { schema }: Store, earlier: Segment, segment: Segment): Steps<boolean> {
  const { type, links, polymorphic } = segment.collection;
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    const now = links.get(name)?.forward ?? polymorphic.get(name);
    const then = earlier.collection.links.get(name)?.forward ?? earlier.collection.polymorphic.get(name);
    if (!now || now === then) continue;
    for (const row of rowsWithOtherLinks(now, then)) {
      yield;
      for (const state of [earlier, segment]) {
        if (!isShown(state, row)) continue;
        const rows = taggedRowsOf(state, row);
        tags
          .add(linksTag(schema.numberOf(attribute), row))
          .add(typeTag(rows))
          .add(attributeTag(rows, name));
      }
      if (tags.size > maximumTags) return false;
    }
  }
  return true;
}

/** Yields the rows whose lists were patched since, or are no longer patched. */
function* rowsWithOtherLinks({ patch }: Adjacency, then: Adjacency | undefined): Generator<number> {
  const earlier = then?.patch;
  for (const row of patch?.rows.toArray() ?? []) {
    const known = earlier && patchedLinks(earlier, row);
    if (!known || !isSameList(patchedLinks(patch!, row)!, known)) yield row;
  }
  // links that led to a deleted draft lead to its published row again
  for (const row of earlier?.lists.keys() ?? []) if (!patch?.rows.has(row)) yield row;
}
