/** Reads a snapshot from one JSON file: a complete snapshot object, or data whose types are inferred. */
import { basename } from 'node:path';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean, nearestName } from '../../core/suggest.ts';
import { readFileChunks } from '../files.ts';
import { limits } from '../limits.ts';
import { parseFile } from '../parse/json-file.ts';
import { inferSnapshot } from './infer-snapshot.ts';
import { type JsonSnapshot, type JsonSource, sourceOfObject } from './json-source.ts';

/** Reads a file. Throws a SnapshotError if it is not a JSON object. */
export async function sourceOfFile(path: string, problems: Problems): Promise<JsonSource> {
  const name = basename(path);
  const value = await readValue(path, name, problems);
  if (!isPlainObject(value)) {
    const expected = 'expected an object of collections, such as {"posts": [{"id": 1, "title": "Hello"}]}';
    if (problems.count === 0) problems.add(name, `${expected}, not ${preview(value)}`);
    problems.throwIfAny();
  }
  const object = value as Record<string, unknown>;
  if (Object.hasOwn(object, 'contentTypes')) return sourceOfObject(value as unknown as JsonSnapshot, `${name}, `);
  rejectLookalikes(object, name, problems);
  const source = inferSnapshot(object, name, problems);
  problems.throwIfAny();
  return source;
}

/** Reports keys of a snapshot without "contentTypes". Everyone may read data with inferred types, drafts included. */
function rejectLookalikes(object: Record<string, unknown>, name: string, problems: Problems): void {
  for (const [key, value] of Object.entries(object)) {
    const isMisspelled = /^content[-_]?types?$/i.test(key) || holdsDefinitions(key, value);
    const isPart = (key === 'entries' || key === 'components') && isPlainObject(value);
    if (!isMisspelled && !isPart) continue;
    const suggestion = isMisspelled ? didYouMean(key, ['contentTypes']) : '';
    problems.add(`${name}, ${key}`, `the file looks like a snapshot, but has no list "contentTypes"${suggestion}`);
  }
}

/** Whether a list under a name like "contentTypes" has an item with attributes. */
function holdsDefinitions(key: string, value: unknown): boolean {
  if (!Array.isArray(value) || nearestName(key, ['contentTypes']) === null) return false;
  return value.some((item) => isPlainObject(item) && isPlainObject(item.attributes));
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
