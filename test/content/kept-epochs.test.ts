// Versions survive: an image has that of its content, and what is loaded from it goes on in the same epoch.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compactStore } from '../../src/changes/compact/compact-store.ts';
import { Content } from '../../src/content/content.ts';
import { heapAllocator } from '../../src/core/memory/allocator.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot, VersionedSnapshot } from '../../src/load/loaded.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { author, load } from '../changes/content.ts';
import { temporaryFolder } from '../support/folders.ts';

const open = (loaded: LoadedSnapshot) => new Content(loaded, readOptions({ public: true }), 0);

function rename(content: Content, name: string): void {
  content.apply({ entities: [{ type: author, id: 3, data: { documentId: 'ada', name } }], links: [] });
}

const nameIn = (content: Content) => content.findOne('authors', 'ada').data.name;

/** Writes what a content has now as an image, and loads it. */
async function throughImage({ history: { loaded } }: Content): Promise<LoadedSnapshot> {
  const path = join(temporaryFolder(), 'content.lectern');
  const content = imageContentOf(loaded);
  const store = await compactStore(loaded.store, content.facts, heapAllocator);
  await writeImage(path, { ...content, store });
  return loadSnapshot(path, {});
}

test('an image of served content has its version, and what is loaded from it goes on from there', async () => {
  const content = open(await load());
  rename(content, 'Ada 1');
  const again = open(await throughImage(content));
  expect([again.version, nameIn(again)]).toEqual([content.version, 'Ada 1']);
  rename(again, 'Ada 2');
  rename(content, 'Ada 2');
  expect(again.version).toBe(content.version);
  const [one, two] = [content, again].map(({ history }) => history.loaded as VersionedSnapshot);
  expect(one.store.contentDigest).toBe(two.store.contentDigest);
});

test('an image of content that was never served has no version', async () => {
  const path = join(temporaryFolder(), 'content.lectern');
  await writeImage(path, imageContentOf(await load()));
  expect((await loadSnapshot(path, {})).version).toBeUndefined();
});

test('a later image of the same epoch is taken with its version, and the same one is not new', async () => {
  const content = open(await load());
  rename(content, 'Ada 1');
  const behind = open(await throughImage(content));
  const before = behind.version;
  rename(content, 'Ada 2');
  rename(content, 'Ada 3');
  const later = await throughImage(content);
  expect(behind.history.replace(later)).toBe(true);
  expect([behind.version, nameIn(behind)]).toEqual([content.version, 'Ada 3']);
  expect(behind.version).not.toBe(before);
  expect(behind.history.replace(await throughImage(content))).toBe(false);
});

test('an earlier image of the same epoch begins another one, unless exactly its version is asked for', async () => {
  const content = open(await load());
  rename(content, 'Ada 1');
  const earlier = await throughImage(content);
  const version = content.version;
  rename(content, 'Ada 2');
  const latest = content.version;
  expect(content.history.replace(earlier)).toBe(true);
  expect(nameIn(content)).toBe('Ada 1');
  expect(content.version.split('-')[0]).not.toBe(latest.split('-')[0]);
  expect(runAtOnce(content.history.replaceInSteps(earlier, 0, true))).toBe(true);
  expect([content.version, nameIn(content)]).toEqual([version, 'Ada 1']);
  expect(runAtOnce(content.history.replaceInSteps(earlier, 0, true))).toBe(false);
});

test('the same content of another epoch is not new, unless exactly its version is asked for', async () => {
  const content = open(await load());
  const other = { ...(await load()), version: { epoch: 5, sequence: 7 } };
  expect(content.history.replace(other)).toBe(false);
  expect(runAtOnce(content.history.replaceInSteps(other, 0, true))).toBe(true);
  expect(content.version).toBe('5-7');
});
