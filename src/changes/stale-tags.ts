import { type EntryType, isScalar } from '../model/schema.ts';
import type { Adjacency } from '../store/adjacency.ts';
import { deltaRowOf } from '../store/delta.ts';
import type { JsonRows } from '../store/json-rows.ts';
import { readValue } from '../store/read-value.ts';
import type { Segment } from '../store/segment.ts';
import type { Store } from '../store/store.ts';
import { attributeTag, linksTag, rowsTag, rowTag, type Tag, typeTag, valueTag } from '../store/tags.ts';

/**
 * Returns the tags of all that differs between a store and the one that a batch of changes led to. Takes a time that
 * grows with the changes since the base was built.
 */
export function staleTags(before: Store, after: Store): Set<Tag> {
  const tags = new Set<Tag>();
  for (const segment of after.segments) {
    const earlier = before.segments[segment.collection.number];
    if (earlier === segment) continue;
    tags.add(typeTag(segment.collection.type.uid));
    addRows(tags, earlier, segment);
    addLinks(tags, after, earlier, segment);
  }
  return tags;
}

/** The attributes whose change moves a row between scopes or documents. */
const placing: ReadonlySet<string> = new Set(['documentId', 'locale']);

function addRows(tags: Set<Tag>, earlier: Segment, segment: Segment): void {
  const { number, type } = segment.collection;
  for (const row of segment.dead) {
    if (!earlier.isLive(row)) continue;
    tags.add(rowsTag(type.uid)).add(rowTag(number, row));
    addValues(tags, earlier, row);
  }
  const { delta } = segment;
  for (const row of delta?.rows ?? []) {
    const isNew = row >= earlier.rowCount;
    const json = jsonOf(segment, row);
    const earlierJson = isNew ? null : jsonOf(earlier, row);
    if (json.rows === earlierJson?.rows) continue;
    tags.add(rowTag(number, row));
    addValues(tags, segment, row);
    if (earlierJson) {
      addValues(tags, earlier, row);
      const changed = changedAttributes(json, earlierJson);
      for (const name of changed) tags.add(attributeTag(type.uid, name));
      const isMoved = segment.published?.has(row) !== earlier.published?.has(row);
      if (isMoved || changed.some((name) => placing.has(name))) tags.add(rowsTag(type.uid));
    } else tags.add(rowsTag(type.uid));
  }
}

/** The JSON of a row, which is row number `at` of `rows`. */
interface RowJson {
  readonly rows: JsonRows;
  readonly at: number;
}

function jsonOf({ collection, delta, changed }: Segment, row: number): RowJson {
  if (delta && changed?.has(row)) return { rows: delta.jsonRows[deltaRowOf(delta, row)], at: 0 };
  return { rows: collection.jsonRows, at: row };
}

function changedAttributes(one: RowJson, other: RowJson): string[] {
  const { names } = one.rows;
  return names.filter((_, i) => !fragment(one, i).equals(fragment(other, i)));
}

function fragment({ rows: { bytes, offsets, names }, at }: RowJson, i: number): Buffer {
  const first = at * (names.length + 1) + i;
  return Buffer.from(bytes.buffer, bytes.byteOffset + offsets[first], offsets[first + 1] - offsets[first]);
}

/** Adds the tags of the values of a row. */
function addValues(tags: Set<Tag>, segment: Segment, row: number): void {
  const { type } = segment.collection;
  for (const name of comparedAttributes(type)) tags.add(valueTag(type.uid, name, readValue(segment, row, name)));
}

function comparedAttributes({ attributes }: EntryType): string[] {
  return Array.from(attributes.values())
    .filter((attribute) => isScalar(attribute) && !attribute.private)
    .map(({ name }) => name);
}

function addLinks(tags: Set<Tag>, { schema }: Store, earlier: Segment, segment: Segment): void {
  const { type, links, polymorphic } = segment.collection;
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    const now = links.get(name)?.forward ?? polymorphic.get(name);
    const then = earlier.collection.links.get(name)?.forward ?? earlier.collection.polymorphic.get(name);
    if (!now || now === then) continue;
    for (const row of rowsWithOtherLinks(now, then)) {
      tags.add(linksTag(schema.numberOf(attribute), row)).add(attributeTag(type.uid, name));
      addValues(tags, segment, row);
    }
  }
}

/** Returns the rows whose lists were patched since. */
function* rowsWithOtherLinks({ patch }: Adjacency, then: Adjacency | undefined): Generator<number> {
  if (!patch) return;
  const earlier = then?.patch;
  for (const row of patch.rows.toArray()) {
    const isKnown = earlier?.rows.has(row) ?? false;
    if (!isKnown || earlier!.lists.get(row) !== patch.lists.get(row)) yield row;
  }
}
