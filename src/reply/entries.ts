import { sortRows } from '../run/order.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { linkCost } from './cost.ts';
import type { EntryShape, PolymorphicShape, RelationShape } from './shape.ts';
import type { ReplyWriter } from './writer.ts';

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const nothing = Buffer.from('null');
const openData = Buffer.from('{"data":');
const attributes = Buffer.from(',"attributes":');

/** Writes a list of entries. `mark` is what stands at the end of each. */
export function writeEntries(
  writer: ReplyWriter,
  shape: EntryShape,
  rows: ArrayLike<number>,
  mark?: ((row: number) => Buffer) | null,
): void {
  writer.byte(openBracket);
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) writer.byte(comma);
    writeEntry(writer, shape, rows[i], mark?.(rows[i]));
  }
  writer.byte(closeBracket);
}

/**
 * Writes one entry. `mark` is what stands at the end of its attributes, as the type that it is of where its place does
 * not tell.
 */
export function writeEntry(writer: ReplyWriter, shape: EntryShape, row: number, mark?: Buffer): void {
  writer.countNode();
  writer.byte(openBrace);
  if (shape.inAttributes) {
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
  } else {
    writeRuns(writer, shape, row, 0, shape.runs.length);
    writeParts(writer, shape, row);
    if (mark) writer.append(mark);
  }
  writer.byte(closeBrace);
}

function writeRuns(writer: ReplyWriter, { slices, runs }: EntryShape, row: number, from: number, end: number): void {
  const { bytes, offsets, names } = slices;
  const first = row * (names.length + 1);
  for (let i = from; i < end; i += 2) writer.copy(bytes, offsets[first + runs[i]], offsets[first + runs[i + 1]]);
}

function writeParts(writer: ReplyWriter, { parts }: EntryShape, row: number): void {
  for (const part of parts) {
    writer.append(part.start);
    if (part.kind === 'relation') writeRelation(writer, part, row);
    else writePolymorphic(writer, part, row);
  }
}

function writeRelation(writer: ReplyWriter, part: RelationShape, row: number): void {
  const { links, visible, entry, mark } = part;
  const { offsets, targets } = links;
  const start = offsets[row];
  const end = offsets[row + 1];
  writer.spend((end - start) * part.rowCost);
  if (part.count)
    return writeCount(writer, visible ? countMembers(targets, start, end, visible) : end - start, part.nested);
  if (part.wrapped) writer.append(openData);
  if (part.many && part.ranks) {
    const rows = visible ? membersOf(targets, start, end, visible) : targets.subarray(start, end);
    writeEntries(writer, entry, sortRows(rows, part.ranks), mark && (() => mark));
  } else {
    let written = 0;
    if (part.many) writer.byte(openBracket);
    for (let i = start; i < end; i++) {
      if (visible && !visible.has(targets[i])) continue;
      if (++written > 1) writer.byte(comma);
      writeEntry(writer, entry, targets[i], mark);
      if (!part.many) break;
    }
    if (part.many) writer.byte(closeBracket);
    else if (written === 0) writer.append(nothing);
  }
  if (part.wrapped) writer.byte(closeBrace);
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

function writePolymorphic(writer: ReplyWriter, part: PolymorphicShape, row: number): void {
  const { offsets, targets, collections } = part.links;
  let written = 0;
  writer.spend((offsets[row + 1] - offsets[row]) * linkCost);
  if (part.many && !part.count) writer.byte(openBracket);
  for (let i = offsets[row], end = offsets[row + 1]; i < end; i++) {
    const target = part.targets[collections[i]];
    if (!target || (target.visible && !target.visible.has(targets[i]))) continue;
    written++;
    if (part.count) continue;
    if (written > 1) writer.byte(comma);
    writeEntry(writer, target.entry, targets[i], target.mark);
    if (!part.many) return;
  }
  if (part.count) writeCount(writer, written, false);
  else if (part.many) writer.byte(closeBracket);
  else writer.append(nothing);
}

function writeCount(writer: ReplyWriter, count: number, nested: boolean): void {
  writer.text(nested ? `{"data":{"attributes":{"count":${count}}}}` : `{"count":${count}}`);
}
