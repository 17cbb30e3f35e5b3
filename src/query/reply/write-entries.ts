import { countMembers, membersOf } from '../../core/sets/row-set.ts';
import { patchedLinks } from '../../store/links/link-patch.ts';
import { sortRows } from '../run/sort-order.ts';
import { linkCost } from './cost.ts';
import { type Delimiters, listDelimiters } from './delimiters.ts';
import type { JsonWriter } from './json-writer.ts';
import {
  changedJson,
  type EntryProjection,
  type PolymorphicProjection,
  type RelationProjection,
} from './projection.ts';

/** Length of the pair for the first range of an entry with an object `attributes`: id and documentId. */
const identityRange = 2;

const openBrace = 0x7b;
const closeBrace = 0x7d;
const attributes = Buffer.from(',"attributes":');
const openCount = Buffer.from('{"count":');
const closeCount = Buffer.from('}');
const openCountInAttributes = Buffer.from('{"data":{"attributes":{"count":');
const closeCountInAttributes = Buffer.from('}}}');

/** Writes a list of entries. `suffix` returns the last members of an entry. */
export function writeEntries(
  writer: JsonWriter,
  projection: EntryProjection,
  rows: ArrayLike<number>,
  suffix?: ((row: number) => Buffer) | null,
  delimiters: Delimiters = listDelimiters,
): void {
  for (let i = 0; i < rows.length; i++) {
    writer.appendUncharged(i === 0 ? delimiters.open : delimiters.between);
    writeMembers(writer, projection, rows[i], suffix?.(rows[i]));
  }
  writer.appendUncharged(rows.length === 0 ? delimiters.none : delimiters.close);
}

/** Writes one entry. `suffix` holds its last members, such as the type of an entry in a polymorphic relation. */
export function writeEntry(writer: JsonWriter, projection: EntryProjection, row: number, suffix?: Buffer): void {
  writer.appendByteUncharged(openBrace);
  writeMembers(writer, projection, row, suffix);
  writer.appendByteUncharged(closeBrace);
}

/** Writes an entry without its braces. */
function writeMembers(writer: JsonWriter, projection: EntryProjection, row: number, suffix?: Buffer): void {
  writer.countNode();
  if (!projection.hasAttributesObject) {
    writeFragments(writer, projection, row, 0, projection.fragmentRanges.length);
    writeParts(writer, projection, row);
    if (suffix) writer.append(suffix);
    return;
  }
  writeFragments(writer, projection, row, 0, identityRange);
  writer.append(attributes);
  // every member begins with a comma; the brace overwrites the first one
  const start = writer.length;
  writeFragments(writer, projection, row, identityRange, projection.fragmentRanges.length);
  writeParts(writer, projection, row);
  if (suffix) writer.append(suffix);
  if (writer.length === start) writer.appendByteUncharged(openBrace);
  else writer.replace(start, openBrace);
  writer.appendByteUncharged(closeBrace);
}

function writeFragments(
  writer: JsonWriter,
  { jsonRows, changed, fragmentRanges }: EntryProjection,
  row: number,
  from: number,
  end: number,
): void {
  const json = changed?.rows.has(row) ? changedJson(changed, row) : null;
  const { bytes, starts, offsets, names } = json ?? jsonRows;
  const start = starts[json ? 0 : row];
  const first = json ? 0 : row * (names.length + 1);
  for (let i = from; i < end; i += 2)
    writer.copy(bytes, start + offsets[first + fragmentRanges[i]], start + offsets[first + fragmentRanges[i + 1]]);
}

function writeParts(writer: JsonWriter, { parts }: EntryProjection, row: number): void {
  for (const part of parts) {
    if (part.kind === 'relation') writeRelation(writer, part, row);
    else writePolymorphic(writer, part, row);
  }
}

function writeRelation(writer: JsonWriter, part: RelationProjection, row: number): void {
  const { delimiters, links, selected, entry, suffix } = part;
  const patched = links.patch && patchedLinks(links.patch, row);
  const targets = patched ? patched.targets : links.targets;
  const start = patched ? 0 : links.offsets[row];
  const end = patched ? targets.length : links.offsets[row + 1];
  writer.charge(part.cost + (end - start) * part.rowCost);
  if (part.count) {
    const count = selected ? countMembers(targets, start, end, selected) : end - start;
    return writeCount(writer, delimiters, count, part.countsInAttributes);
  }
  if (part.many && (part.ranks || part.window)) {
    const rows = selected ? membersOf(targets, start, end, selected) : targets.subarray(start, end);
    const sorted = part.ranks ? sortRows(rows, part.ranks) : rows;
    const shown = part.window ? sorted.slice(part.window.from, part.window.to) : sorted;
    return writeEntries(writer, entry, shown, suffix && (() => suffix), delimiters);
  }
  let written = 0;
  for (let i = start; i < end; i++) {
    if (selected && !selected.has(targets[i])) continue;
    writer.appendUncharged(++written === 1 ? delimiters.open : delimiters.between);
    writeMembers(writer, entry, targets[i], suffix);
    if (!part.many) break;
  }
  writer.appendUncharged(written === 0 ? delimiters.none : delimiters.close);
}

function writePolymorphic(writer: JsonWriter, part: PolymorphicProjection, row: number): void {
  const { delimiters, links } = part;
  const patched = links.patch && patchedLinks(links.patch, row);
  const targets = patched ? patched.targets : links.targets;
  const collections = patched ? patched.collections! : links.collections;
  const start = patched ? 0 : links.offsets[row];
  const end = patched ? targets.length : links.offsets[row + 1];
  let written = 0;
  writer.charge(part.cost + (end - start) * linkCost);
  for (let i = start; i < end; i++) {
    const target = part.targets[collections[i]];
    if (!target || (target.selected && !target.selected.has(targets[i]))) continue;
    written++;
    if (part.count) continue;
    writer.appendUncharged(written === 1 ? delimiters.open : delimiters.between);
    writeMembers(writer, target.entry, targets[i], target.suffix);
    if (!part.many) break;
  }
  if (part.count) writeCount(writer, delimiters, written, false);
  else writer.appendUncharged(written === 0 ? delimiters.none : delimiters.close);
}

function writeCount(writer: JsonWriter, { start }: Delimiters, count: number, inAttributes: boolean): void {
  writer.appendUncharged(start);
  writer.appendUncharged(inAttributes ? openCountInAttributes : openCount);
  writer.number(count);
  writer.appendUncharged(inAttributes ? closeCountInAttributes : closeCount);
}
