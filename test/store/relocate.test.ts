/** A store is taken apart into arrays and a manifest, and put together again: every answer stays the same. */
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../src/config/read-config.ts';
import { Content } from '../../src/content.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import type { Allocator } from '../../src/sets/allocator.ts';
import { attachStore, describeStore, type StoreParts } from '../../src/store/attach-store.ts';
import type { Store } from '../../src/store/store.ts';
import { answersOf, everyUrl } from '../support/every-url.ts';
import { guideFolder } from '../support/guide.ts';

const shared = (bytes: number) => new SharedArrayBuffer(bytes);

const sharedAllocator: Allocator = {
  memory: shared,
  bytes: (length) => Buffer.from(shared(length)),
  uint8: (length) => new Uint8Array(shared(length)),
  uint16: (length) => new Uint16Array(shared(length * 2)),
  uint32: (length) => new Uint32Array(shared(length * 4)),
  float64: (length) => new Float64Array(shared(length * 8)),
  bigint64: (length) => new BigInt64Array(shared(length * 8)),
};

function contentOf(loaded: LoadedSnapshot, store: Store): Content {
  return new Content({ ...loaded, store }, readOptions({ public: true }), 0);
}

/** The parts as they come from a file: the manifest as JSON, the arrays in memory of their own. */
function copyOf({ manifest, arrays }: StoreParts): StoreParts {
  return { manifest: JSON.parse(JSON.stringify(manifest)), arrays: arrays.map((array) => array.slice()) };
}

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test('a store of copied arrays answers the same', async () => {
    const loaded = await loadSnapshot(guideFolder, { dialect });
    const { store } = loaded;
    const urls = everyUrl(store);
    const answers = await answersOf(contentOf(loaded, store), urls);
    expect(answers.filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(urls.length / 4);
    const attached = attachStore(store.schema, copyOf(describeStore(store)));
    expect(await answersOf(contentOf(loaded, attached), urls)).toEqual(answers);
    expect(describeStore(attached).manifest).toEqual(describeStore(store).manifest);
  });

  test('one allocator makes every array, so that a store can be in shared memory', async () => {
    const loaded = await loadSnapshot(guideFolder, { dialect, allocator: sharedAllocator });
    const { manifest, arrays } = describeStore(loaded.store);
    const names = Object.entries(manifest.arrays.positions);
    const others = names.filter(([, position]) => !(arrays[position]!.buffer instanceof SharedArrayBuffer));
    expect(others.map(([name]) => name)).toEqual([]);
    const urls = everyUrl(loaded.store);
    const onHeap = await loadSnapshot(guideFolder, { dialect });
    expect(loaded.store.contentVersion).toBe(onHeap.store.contentVersion);
    const answers = await answersOf(contentOf(onHeap, onHeap.store), urls);
    expect(await answersOf(contentOf(loaded, loaded.store), urls)).toEqual(answers);
  });
});

test('arrays that do not fit the manifest are rejected', async () => {
  const { store } = await loadSnapshot(guideFolder);
  const { manifest, arrays } = describeStore(store);
  expect(() => attachStore(store.schema, { manifest, arrays: arrays.slice(1) })).toThrow(/^expected \d+ arrays/);
  const longer = [...arrays];
  longer[0] = new Uint32Array(arrays[0]!.length + 1);
  expect(() => attachStore(store.schema, { manifest, arrays: longer })).toThrow(
    /^array 0: expected \d+ items of uint32/,
  );
});
