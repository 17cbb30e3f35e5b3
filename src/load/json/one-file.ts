/** Reads a snapshot from one JSON file: a complete snapshot object, or data whose types are inferred. */
import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import type { Problems } from '../../base/problems.ts';
import { preview } from '../../base/problems.ts';
import { readStrictJson } from '../../base/strict-json.ts';
import { readFileChunks } from '../files.ts';
import { findLimitViolation } from '../json-limits.ts';
import { limits } from '../limits.ts';
import { inferSnapshot } from './infer-snapshot.ts';
import { type JsonSnapshot, type JsonSource, sourceOfObject } from './json-source.ts';

/** Reads a file. Throws a SnapshotError if it is not a JSON object. */
export async function sourceOfFile(path: string, problems: Problems): Promise<JsonSource> {
  const name = basename(path);
  const value = await readValue(path, name, problems);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const expected = 'expected an object of collections, such as {"posts": [{"id": 1, "title": "Hello"}]}';
    if (problems.count === 0) problems.add(name, `${expected}, not ${preview(value)}`);
    problems.throwIfAny();
  }
  const isSnapshot = Array.isArray((value as Partial<JsonSnapshot>).contentTypes);
  const source = isSnapshot
    ? sourceOfObject(value as JsonSnapshot, `${name}, `)
    : inferSnapshot(value as Record<string, unknown>, name, problems);
  problems.throwIfAny();
  return source;
}

async function readValue(path: string, name: string, problems: Problems): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readFileChunks(path)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limits.oneFileBytes) {
      problems.add(
        name,
        `the file is larger than ${limits.oneFileBytes} bytes; use a folder with one file for each type`,
      );
      return null;
    }
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) {
    problems.add(name, 'the file is not UTF-8');
    return null;
  }
  const violation = findLimitViolation(bytes, limits.oneFileValues);
  if (violation) {
    problems.add(name, `the file ${violation.message}`);
    return null;
  }
  const { value, faults } = readStrictJson(bytes.toString().replace(/^\uFEFF/, ''));
  for (const { message, line, column } of faults) problems.add(`${name}:${line}:${column}`, message);
  return value;
}
