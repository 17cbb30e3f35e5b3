import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { batchLimits } from '../../src/changes/batch/batch.ts';
import {
  listsInSteps,
  packChangesInSteps,
  readPreviewChangesInSteps,
} from '../../src/content/previews/preview-changes.ts';
import { runAtOnce } from '../../src/core/steps.ts';

const pack = (lists: readonly unknown[]) => runAtOnce(packChangesInSteps(lists));
const deletion = [{ delete: 'api::thing.thing', documentId: 'a' }];

test('a preview takes as many lists of changes as its page says, and the next one is refused', () => {
  const page = readFileSync('docs/previews.md', 'utf8');
  const limit = Number(/After (\d+) lists, the next request is a 413/.exec(page)![1]);
  const lists = Array.from({ length: limit }, () => deletion);
  expect(runAtOnce(listsInSteps(pack(lists)))).toEqual(lists);
  const message = `A preview takes at most ${limit} requests whose changes are kept apart, such as deletions: put it again`;
  expect(() => pack([...lists, deletion])).toThrow(
    expect.objectContaining({ status: 413, message: expect.stringContaining(message), details: { limit } }),
  );
});

test('a preview takes as many bytes of changes as its page says', () => {
  const page = readFileSync('docs/previews.md', 'utf8');
  const mebibytes = Number(/The changes of a preview take at most (\d+) MiB/.exec(page)![1]);
  expect(batchLimits.bytes).toBe(mebibytes * 2 ** 20);
  const entry = { documentId: 'a', title: 'x'.repeat(batchLimits.bytes) };
  expect(() => pack([[{ upsert: 'api::thing.thing', entry }]])).toThrow(`${batchLimits.bytes} bytes of changes`);
});

test('a file of a later format is refused with its format, whatever else it holds', () => {
  const read = (text: string) => runAtOnce(readPreviewChangesInSteps(Buffer.from(text)));
  expect(() => read('{"format":2,"lists":{}}')).toThrow(
    'the file has the format 2, and this version of Lectern reads up to 1. Use a newer version',
  );
  expect(() => read('{"format":0,"revision":0,"lists":[]}')).toThrow('expected 1');
});
