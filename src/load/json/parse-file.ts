import { isUtf8 } from 'node:buffer';
import type { Problems } from '../../core/problems.ts';
import { readStrictJson } from '../../core/strict-json.ts';
import { limits } from '../limits.ts';
import { withoutByteOrderMark } from '../parse/elements.ts';

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
