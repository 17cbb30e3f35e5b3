/** A file of JSON that people write, or an export: how a mistake in it is reported. */
import { isUtf8 } from 'node:buffer';
import type { Problems } from '../../core/problems.ts';
import { readStrictJson } from '../../core/strict-json.ts';
import { limits } from '../limits.ts';

/** A malformed file. The message does not name the file. The caller adds it. */
export class BrokenFile extends Error {
  /** Byte offset of the error in the file, or null if unknown. */
  readonly offset: number | null;
  /** `:line:column` of the error, to append to the file name. Empty if unknown. */
  readonly location: string;

  constructor(message: string, offset: number | null = null, location?: { line: number; column: number }) {
    super(message);
    this.offset = offset;
    this.location = location ? `:${location.line}:${location.column}` : '';
  }
}

/** Strips a UTF-8 byte order mark. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Parses a hand-written file of JSON. Reports text that is not UTF-8, an exceeded limit, syntax errors and duplicate
 * keys. Returns undefined if there is no value.
 */
export function parseFile(
  bytes: Buffer,
  name: string,
  problems: Problems,
  values: number = limits.elementValues,
): unknown {
  if (!isUtf8(bytes)) return void problems.add(name, 'the file is not UTF-8');
  const { value, faults } = readStrictJson(withoutByteOrderMark(bytes), { limits: { depth: limits.depth, values } });
  for (const { message, line, column } of faults) problems.add(`${name}:${line}:${column}`, message);
  return value;
}
