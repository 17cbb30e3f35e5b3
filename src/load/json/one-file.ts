/** Reads a snapshot from one JSON file: a complete snapshot object, or data whose types are inferred. */
import { basename } from 'node:path';
import { isPlainObject } from '../../base/plain-object.ts';
import { type Problems, preview } from '../../base/problems.ts';
import { readFileChunks } from '../files.ts';
import { limits } from '../limits.ts';
import { inferSnapshot } from './infer-snapshot.ts';
import { type JsonSnapshot, type JsonSource, sourceOfObject } from './json-source.ts';
import { parseFile } from './parse-file.ts';

/** Reads a file. Throws a SnapshotError if it is not a JSON object. */
export async function sourceOfFile(path: string, problems: Problems): Promise<JsonSource> {
  const name = basename(path);
  const value = await readValue(path, name, problems);
  if (!isPlainObject(value)) {
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
  return parseFile(Buffer.concat(chunks), name, problems, limits.oneFileValues);
}
