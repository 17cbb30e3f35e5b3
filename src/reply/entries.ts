import { sortRows } from '../run/order.ts';
import type { EntryShape, PolymorphicShape, RelationShape } from './shape.ts';
import type { ReplyWriter } from './writer.ts';

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const nothing = Buffer.from('null');
const openData = Buffer.from('{"data":');
const openCount = Buffer.from('{"count":');

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

/** Writes one entry. `mark` is what stands at its end, as the type that it is of where its place does not tell. */
export function writeEntry(writer: ReplyWriter, shape: EntryShape, row: number, mark?: Buffer): void {
  writer.countNode();
  writer.byte(openBrace);
  const { slices, runs, parts } = shape;
  const first = row * (slices.names.length + 1);
  for (let i = 0; i < runs.length; i += 2) {
    writer.copy(slices.bytes, slices.offsets[first + runs[i]], slices.offsets[first + runs[i + 1]]);
  }
  for (const part of parts) {
    writer.append(part.start);
    if (part.kind === 'relation') writeRelation(writer, part, row);
    else writePolymorphic(writer, part, row);
  }
  if (mark) writer.append(mark);
  writer.byte(closeBrace);
}

function writeRelation(writer: ReplyWriter, part: RelationShape, row: number): void {
  const { offsets, targets } = part.links;
  const { visible } = part;
  let rows = targets.subarray(offsets[row], offsets[row + 1]);
  if (visible) rows = rows.filter((target) => visible.has(target));
  if (part.count) return writeCount(writer, rows.length);
  if (!part.many) {
    if (rows.length > 0) writeEntry(writer, part.entry, rows[0]);
    else writer.append(nothing);
    return;
  }
  if (part.ranks) rows = sortRows(rows, part.ranks);
  if (part.wrapped) writer.append(openData);
  writeEntries(writer, part.entry, rows);
  if (part.wrapped) writer.byte(closeBrace);
}

function writePolymorphic(writer: ReplyWriter, part: PolymorphicShape, row: number): void {
  const { offsets, targets, collections } = part.links;
  let written = 0;
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
  if (part.count) writeCount(writer, written);
  else if (part.many) writer.byte(closeBracket);
  else writer.append(nothing);
}

function writeCount(writer: ReplyWriter, count: number): void {
  writer.append(openCount);
  writer.text(String(count));
  writer.byte(closeBrace);
}
