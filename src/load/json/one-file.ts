/** A snapshot in one JSON file: the whole of what `open` takes in memory, or data whose types are inferred. */
import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import type { Problems } from '../../base/problems.ts';
import { preview } from '../../base/problems.ts';
import { readStrictJson } from '../../base/strict-json.ts';
import { wholeFile } from '../files.ts';
import { excessOf } from '../json-extent.ts';
import { limits } from '../limits.ts';
import { inferSnapshot } from './infer-snapshot.ts';
import { type JsonSnapshot, type JsonSource, sourceOfObject } from './json-source.ts';

/** Reads a file. Throws a SnapshotError for one that is no JSON object. */
export async function sourceOfFile(path: string, problems: Problems): Promise<JsonSource> {
  const name = basename(path);
  const value = await readValue(path, name, problems);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const expected = 'expected an object of collections, such as {"posts": [{"id": 1, "title": "Hello"}]}';
    if (problems.count === 0) problems.add(name, `${expected}, not ${preview(value)}`);
    problems.throwIfAny();
  }
  const isWhole = Array.isArray((value as Partial<JsonSnapshot>).contentTypes);
  const source = isWhole
    ? sourceOfObject(value as JsonSnapshot, `${name}, `)
    : inferSnapshot(value as Record<string, unknown>, name, problems);
  problems.throwIfAny();
  return source;
}

async function readValue(path: string, name: string, problems: Problems): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of wholeFile(path)) {
    pieces.push(piece);
    size += piece.length;
    if (size > limits.oneFileBytes) {
      problems.add(
        name,
        `the file is larger than ${limits.oneFileBytes} bytes: write a folder, with a file for each type`,
      );
      return null;
    }
  }
  const bytes = Buffer.concat(pieces);
  if (!isUtf8(bytes)) {
    problems.add(name, 'it is not UTF-8');
    return null;
  }
  const excess = excessOf(bytes, limits.oneFileValues);
  if (excess) {
    problems.add(name, `the file ${excess.message}`);
    return null;
  }
  const { value, faults } = readStrictJson(bytes.toString().replace(/^\uFEFF/, ''));
  for (const { message, line, column } of faults) problems.add(`${name}:${line}:${column}`, message);
  return value;
}
