import { sortRows } from '../run/sort-order.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { linkCost } from './cost.ts';
import { type Delimiters, listDelimiters } from './delimiters.ts';
import type { JsonWriter } from './json-writer.ts';
import type { EntryProjection, PolymorphicProjection, RelationProjection } from './projection.ts';

const openBrace = 0x7b;
const closeBrace = 0x7d;
const attributes = Buffer.from(',"attributes":');
const openCount = Buffer.from('{"count":');
const closeCount = Buffer.from('}');
const openNestedCount = Buffer.from('{"data":{"attributes":{"count":');
const closeNestedCount = Buffer.from('}}}');

/** Writes a list of entries. `mark` is what stands at the end of each. */
export function writeEntries(
  writer: JsonWriter,
  shape: EntryProjection,
  rows: ArrayLike<number>,
  mark?: ((row: number) => Buffer) | null,
  frame: Delimiters = listDelimiters,
): void {
  for (let i = 0; i < rows.length; i++) {
    writer.frame(i === 0 ? frame.open : frame.between);
    writeMembers(writer, shape, rows[i], mark?.(rows[i]));
  }
  writer.frame(rows.length === 0 ? frame.none : frame.close);
}

/**
 * Writes one entry. `mark` is what stands at the end of its attributes, as the type that it is of where its place does
 * not tell.
 */
export function writeEntry(writer: JsonWriter, shape: EntryProjection, row: number, mark?: Buffer): void {
  writer.byte(openBrace);
  writeMembers(writer, shape, row, mark);
  writer.byte(closeBrace);
}

/** Writes an entry without its braces. */
function writeMembers(writer: JsonWriter, shape: EntryProjection, row: number, mark?: Buffer): void {
  writer.countNode();
  if (!shape.inAttributes) {
    writeRuns(writer, shape, row, 0, shape.runs.length);
    writeParts(writer, shape, row);
    if (mark) writer.append(mark);
    return;
  }
  writeRuns(writer, shape, row, 0, 2);
  writer.append(attributes);
  // all that follows begins with a comma: the first of them gives its place to the brace
  const start = writer.length;
  writeRuns(writer, shape, row, 2, shape.runs.length);
  writeParts(writer, shape, row);
  if (mark) writer.append(mark);
  if (writer.length === start) writer.byte(openBrace);
  else writer.replace(start, openBrace);
  writer.byte(closeBrace);
}

function writeRuns(
  writer: JsonWriter,
  { jsonRows, runs }: EntryProjection,
  row: number,
  from: number,
  end: number,
): void {
  const { bytes, offsets, names } = jsonRows;
  const first = row * (names.length + 1);
  for (let i = from; i < end; i += 2) writer.copy(bytes, offsets[first + runs[i]], offsets[first + runs[i + 1]]);
}

function writeParts(writer: JsonWriter, { parts }: EntryProjection, row: number): void {
  for (const part of parts) {
    if (part.kind === 'relation') writeRelation(writer, part, row);
    else writePolymorphic(writer, part, row);
  }
}

function writeRelation(writer: JsonWriter, part: RelationProjection, row: number): void {
  const { frame, links, visible, entry, mark } = part;
  const { offsets, targets } = links;
  const start = offsets[row];
  const end = offsets[row + 1];
  writer.charge(part.cost + (end - start) * part.rowCost);
  if (part.count) {
    const count = visible ? countMembers(targets, start, end, visible) : end - start;
    return writeCount(writer, frame, count, part.nested);
  }
  if (part.many && (part.ranks || part.window)) {
    const rows = visible ? membersOf(targets, start, end, visible) : targets.subarray(start, end);
    const sorted = part.ranks ? sortRows(rows, part.ranks) : rows;
    const shown = part.window ? sorted.slice(part.window.from, part.window.to) : sorted;
    return writeEntries(writer, entry, shown, mark && (() => mark), frame);
  }
  let written = 0;
  for (let i = start; i < end; i++) {
    if (visible && !visible.has(targets[i])) continue;
    writer.frame(++written === 1 ? frame.open : frame.between);
    writeMembers(writer, entry, targets[i], mark);
    if (!part.many) break;
  }
  writer.frame(written === 0 ? frame.none : frame.close);
}

function countMembers(targets: Uint32Array, start: number, end: number, members: BitSet): number {
  let count = 0;
  for (let i = start; i < end; i++) if (members.has(targets[i])) count++;
  return count;
}

function membersOf(targets: Uint32Array, start: number, end: number, members: BitSet): Uint32Array {
  const found = new Uint32Array(end - start);
  let count = 0;
  for (let i = start; i < end; i++) if (members.has(targets[i])) found[count++] = targets[i];
  return found.subarray(0, count);
}

function writePolymorphic(writer: JsonWriter, part: PolymorphicProjection, row: number): void {
  const { frame } = part;
  const { offsets, targets, collections } = part.links;
  let written = 0;
  writer.charge(part.cost + (offsets[row + 1] - offsets[row]) * linkCost);
  for (let i = offsets[row], end = offsets[row + 1]; i < end; i++) {
    const target = part.targets[collections[i]];
    if (!target || (target.visible && !target.visible.has(targets[i]))) continue;
    written++;
    if (part.count) continue;
    writer.frame(written === 1 ? frame.open : frame.between);
    writeMembers(writer, target.entry, targets[i], target.mark);
    if (!part.many) break;
  }
  if (part.count) writeCount(writer, frame, written, false);
  else writer.frame(written === 0 ? frame.none : frame.close);
}

function writeCount(writer: JsonWriter, { start }: Delimiters, count: number, nested: boolean): void {
  writer.frame(start);
  writer.frame(nested ? openNestedCount : openCount);
  writer.number(count);
  writer.frame(nested ? closeNestedCount : closeCount);
}
