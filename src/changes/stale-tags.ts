import { type EntryType, isScalar } from '../model/schema.ts';
import { comparisonKindOf } from '../model/value-types.ts';
import type { Adjacency } from '../store/adjacency.ts';
import { deltaRowOf } from '../store/delta.ts';
import type { JsonRows } from '../store/json-rows.ts';
import { tagsOfPlace } from '../store/order-tags.ts';
import { readValue } from '../store/read-value.ts';
import type { Segment } from '../store/segment.ts';
import type { Store } from '../store/store.ts';
import {
  attributeTag,
  linksTag,
  longTextTag,
  rowsTag,
  rowTag,
  type Tag,
  trigramsOf,
  trigramTag,
  typeTag,
  valuesWithTag,
  valueTag,
} from '../store/tags.ts';

/** A batch with more tags than this makes everything stale: naming its changes would take longer than making them. */
const maximumTags = 20_000;

/**
 * Returns the tags of all that differs between a store and the one that a batch of changes led to. Null for a batch that
 * changes so much that everything counts as stale. Takes a time that grows with the changes since the base was built.
 */
export function staleTags(before: Store, after: Store): Set<Tag> | null {
  const tags = new Set<Tag>();
  for (const segment of after.segments) {
    const earlier = before.segments[segment.collection.number];
    if (earlier === segment) continue;
    tags.add(typeTag(segment.collection.type.uid));
    if (!addRows(tags, earlier, segment) || !addLinks(tags, after, earlier, segment)) return null;
  }
  return tags;
}

/** Longer texts have one tag in place of those of their trigrams. */
const maximumText = 200;

/** The attributes whose change moves a row between scopes or documents. */
const placing: ReadonlySet<string> = new Set(['documentId', 'locale']);

/** Returns false if there are too many tags. */
function addRows(tags: Set<Tag>, earlier: Segment, segment: Segment): boolean {
  const { number, type } = segment.collection;
  for (const row of segment.dead) {
    if (!earlier.isLive(row)) continue;
    tags.add(rowsTag(type.uid)).add(rowTag(number, row));
    addValues(tags, earlier, row);
    if (tags.size > maximumTags) return false;
  }
  const { delta } = segment;
  for (const row of delta?.rows ?? []) {
    const isNew = row >= earlier.rowCount;
    const json = jsonOf(segment, row);
    const earlierJson = isNew ? null : jsonOf(earlier, row);
    if (json.rows === earlierJson?.rows) continue;
    tags.add(rowTag(number, row));
    if (earlierJson) {
      addChange(tags, earlier, segment, row, changedAttributes([earlier, earlierJson], [segment, json], row));
    } else {
      tags.add(rowsTag(type.uid));
      addValues(tags, segment, row);
    }
    if (tags.size > maximumTags) return false;
  }
  return true;
}

/** Adds the tags of other values in a row. */
function addChange(tags: Set<Tag>, earlier: Segment, segment: Segment, row: number, names: readonly string[]): void {
  const { type } = segment.collection;
  const { uid } = type;
  const isMoved = segment.published?.has(row) !== earlier.published?.has(row);
  if (isMoved || names.some((name) => placing.has(name))) {
    tags.add(rowsTag(uid));
    for (const state of [earlier, segment]) addValues(tags, state, row);
  }
  for (const name of names) {
    const values = [earlier, segment].map((state) => readValue(state, row, name));
    tags.add(attributeTag(uid, name));
    for (const value of values) tags.add(valueTag(uid, name, value));
    if (isText(type, name)) addTextTags(tags, uid, name, values);
  }
  for (const name of comparedAttributes(type)) {
    for (const state of [earlier, segment]) {
      const value = readValue(state, row, name);
      for (const other of names) tags.add(valuesWithTag(uid, other, name, value));
    }
  }
}

function isText({ attributes }: EntryType, name: string): boolean {
  const attribute = attributes.get(name);
  return attribute !== undefined && isScalar(attribute) && comparisonKindOf(attribute.type) === 'text';
}

function addTextTags(tags: Set<Tag>, uid: string, name: string, values: readonly unknown[]): void {
  for (const value of values) {
    for (const tag of tagsOfPlace(uid, name, typeof value === 'string' ? value : null)) tags.add(tag);
  }
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.some(({ length }) => length > maximumText)) tags.add(longTextTag(uid, name));
  else for (const text of texts) for (const trigram of trigramsOf(text)) tags.add(trigramTag(uid, name, trigram));
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

type RowState = readonly [segment: Segment, json: RowJson];

/** Returns the attributes that are shown or compared as others now: addresses of files may only be compared so. */
function changedAttributes([earlier, earlierJson]: RowState, [segment, json]: RowState, row: number): string[] {
  return json.rows.names.filter(
    (name, i) =>
      !fragment(json, i).equals(fragment(earlierJson, i)) ||
      readValue(segment, row, name) !== readValue(earlier, row, name),
  );
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

/** Returns false if there are too many tags. */
function addLinks(tags: Set<Tag>, { schema }: Store, earlier: Segment, segment: Segment): boolean {
  const { type, links, polymorphic } = segment.collection;
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    const now = links.get(name)?.forward ?? polymorphic.get(name);
    const then = earlier.collection.links.get(name)?.forward ?? earlier.collection.polymorphic.get(name);
    if (!now || now === then) continue;
    for (const row of rowsWithOtherLinks(now, then)) {
      tags.add(linksTag(schema.numberOf(attribute), row)).add(attributeTag(type.uid, name));
      if (tags.size > maximumTags) return false;
    }
  }
  return true;
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
