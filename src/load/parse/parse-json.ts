import { isUtf8 } from 'node:buffer';
import { readJsonInSteps } from '../../core/json-reader.ts';
import { runAtOnce } from '../../core/steps.ts';
import { BrokenFile } from './broken-file.ts';

/**
 * Parses one JSON value. Throws a BrokenFile for invalid JSON. `where` names the value in the message. `start` is its
 * byte offset in the file.
 */
export function parseJson(bytes: Buffer, where: string, start = 0): unknown {
  if (!isUtf8(bytes)) throw new BrokenFile(`${where} is not UTF-8`, start);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return throwSyntaxError(bytes, where, start);
  }
}

/** Throws a BrokenFile with the position of the syntax error. */
function throwSyntaxError(bytes: Buffer, where: string, start: number): never {
  const { error } = runAtOnce(readJsonInSteps(bytes));
  throw new BrokenFile(`${where} is invalid JSON: ${error!.message}`, start + error!.place.offset);
}

/**
 * Parses a value as `parseJson` does, and rejects duplicate keys. `keys` is the number of keys in the text: if the
 * value has fewer, one is duplicated.
 */
export function parseWithoutDuplicates(bytes: Buffer, where: string, start: number, keys: number): unknown {
  const value = parseJson(bytes, where, start);
  if (keys === countKeys(value)) return value;
  const [{ message, place }] = runAtOnce(readJsonInSteps(bytes)).duplicates;
  throw new BrokenFile(`${where}: ${message}`, start + place.offset);
}

/** Counts the keys of all objects in a value. The scanner has already limited the depth. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object') count += countKeys(value[i]);
    return count;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    count += typeof inner === 'object' ? 1 + countKeys(inner) : 1;
  }
  return count;
}
