import { isUtf8 } from 'node:buffer';
import type { Problems } from '../../base/problems.ts';
import { readStrictJson } from '../../base/strict-json.ts';
import { findLimitViolation } from '../parse/json-limits.ts';

/**
 * Parses a hand-written file of JSON. Reports text that is not UTF-8, an exceeded limit, syntax errors and duplicate
 * keys. Returns undefined if there is no value.
 */
export function parseFile(bytes: Buffer, name: string, problems: Problems, maxValues?: number): unknown {
  if (!isUtf8(bytes)) return void problems.add(name, 'the file is not UTF-8');
  const violation = findLimitViolation(bytes, maxValues);
  if (violation) return void problems.add(name, `the file ${violation.message}`);
  const { value, faults } = readStrictJson(bytes.toString().replace(/^\uFEFF/, ''));
  for (const { message, line, column } of faults) problems.add(`${name}:${line}:${column}`, message);
  return value;
}
