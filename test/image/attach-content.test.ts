/** Content is described as a manifest and buffers, and attached over the same memory: every answer stays the same. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { allocatorFor, canShareMemory, heapAllocator, sharedAllocator } from '../../src/core/memory/allocator.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import {
  attachContent,
  type DescribedContent,
  describeContent,
  transferList,
} from '../../src/load/image/describe-content.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { readImage } from '../../src/load/image/read-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../src/load/loaded.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { attachStore, describeStore } from '../../src/store/attach-store.ts';
import { Segment } from '../../src/store/segment.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { answersOf, everyUrl } from '../support/every-url.ts';
import { countExecutedBlocks } from '../support/executed.ts';
import { bytesOfSection, withSections } from '../support/foreign-images.ts';
import { guideFolder, thingSnapshot } from '../support/guide.ts';
import { makeImageFolder, newPath, partsOf, writeImageOf, writeParts } from '../support/images.ts';
import { loadShared } from '../support/open-shared.ts';

makeImageFolder();

function served(loaded: LoadedSnapshot, store: Store = loaded.store): Content {
  return new Content({ ...loaded, store }, readOptions({ public: true }), 0);
}

/** Sends content as a message to another thread does: plain memory is transferred, shared memory is shared. */
function sent(content: DescribedContent): DescribedContent {
  return structuredClone(content, { transfer: transferList(content) });
}

async function described(source: string | JsonSnapshot, options: LoadOptions = {}): Promise<DescribedContent> {
  return describeContent(imageContentOf(await loadSnapshot(source, { ...options, search: ['*'] })));
}

const isShared = (buffer: ArrayBufferLike) => buffer instanceof SharedArrayBuffer;

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  /** Every URL and its answers, from content in plain memory that was never sent. */
  const plainAnswers = async (source: string) => {
    const plain = await loadShared(source, { dialect, search: ['*'] });
    const urls = everyUrl(plain.store);
    return { plain, urls, answers: await answersOf(served(plain), urls) };
  };
  let guide: Awaited<ReturnType<typeof plainAnswers>>;
  beforeAll(async () => {
    guide = await plainAnswers(guideFolder);
  });

  test.each([
    ['transferred', heapAllocator],
    ['shared', sharedAllocator],
  ])('%s content answers the same', async (_, allocator) => {
    const loaded = await loadSnapshot(guideFolder, { dialect, allocator, search: ['*'] });
    const { urls, answers } = guide;
    expect(answers.filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(urls.length / 4);
    const content = imageContentOf(loaded);
    const { manifest, buffers } = describeContent(content);
    const attached = attachContent(sent({ manifest, buffers }));
    expect(await answersOf(served(loaded, attached.store), urls)).toEqual(answers);
    expect(describeContent(attached).manifest).toEqual(manifest);
    expect({ ...attached, store: null }).toEqual({ ...content, store: null });
  });

  test.each([guideFolder, gazetteExport])('shared memory changes no answer: %s', async (source) => {
    const { plain, urls, answers } = source === guideFolder ? guide : await plainAnswers(source);
    const shared = await loadSnapshot(source, { dialect, allocator: sharedAllocator, search: ['*'] });
    expect(shared.store.contentDigest).toBe(plain.store.contentDigest);
    expect(urls.length).toBeGreaterThan(200);
    expect(await answersOf(served(shared), urls)).toEqual(answers);
  });

  test('one allocator makes every array', async () => {
    const { manifest, buffers } = await described(gazetteExport, { dialect, allocator: sharedAllocator });
    const { positions } = manifest.documents.store.arrays;
    const isOutside = (position: number) => !isShared(buffers[manifest.views[position]!.buffer]!);
    expect(Object.keys(positions).filter((name) => isOutside(positions[name]!))).toEqual([]);
  });
});

test('an image is read into shared memory at once', async () => {
  const { path } = await writeImageOf(guideFolder);
  const { buffers } = describeContent(await readImage(path, sharedAllocator));
  expect(buffers.map(isShared)).toEqual([true]);
});

test('memory is shared only for several threads, on a Node that copies it fast', () => {
  expect(allocatorFor(false)).toBe(heapAllocator);
  expect(allocatorFor(true)).toBe(canShareMemory ? sharedAllocator : heapAllocator);
  expect(transferList({ manifest: {} as never, buffers: [new SharedArrayBuffer(1)] })).toEqual([]);
});

test('attaching takes no work and no memory that grow with the rows', async () => {
  const attributes = {
    name: { type: 'string' },
    slug: { type: 'string' },
    rating: { type: 'float' },
    views: { type: 'biginteger' },
    extra: { type: 'json' },
    other: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  };
  const attach = async (rows: number) => {
    const entries = Array.from({ length: rows }, (_, i) => {
      const values = { name: `Name ${i % 900} 🍕 ÉÑ`, slug: `s-${i}`, rating: i / 7, views: String(i), extra: [i] };
      return { documentId: `d${i}`, ...values, other: [`d${(i * 7) % rows}`, `d${(i * 3) % rows}`] };
    });
    const content = await described(thingSnapshot(attributes, entries), { dialect: 'strapi' });
    attachContent(content);
    const before = process.memoryUsage().arrayBuffers;
    const blocks = countExecutedBlocks(() => attachContent(content));
    return { blocks, bytes: process.memoryUsage().arrayBuffers - before };
  };
  const [few, many] = [await attach(500), await attach(5_000)];
  expect(few.blocks).toBeGreaterThan(1_000);
  // some bytes become frequent enough for a bit set of their own
  expect(many.blocks).toBeLessThan(few.blocks * 1.5);
  expect(many.bytes).toBeLessThan(10_000);
});

test('arrays that do not fit the manifest are rejected', async () => {
  const { store } = await loadShared(guideFolder);
  const { manifest, arrays } = describeStore(store);
  expect(() => attachStore(store.schema, { manifest, arrays: arrays.slice(1) })).toThrow(/^expected \d+ arrays/);
  const longer = [...arrays];
  longer[0] = new Uint32Array(arrays[0]!.length + 1);
  expect(() => attachStore(store.schema, { manifest, arrays: longer })).toThrow(
    /^array \S+\/columns\/id\/codes: expected \d+ items of uint32/,
  );
});

test('an image holds no changes', async () => {
  const loaded = await loadShared(guideFolder);
  const [first, ...others] = loaded.store.segments;
  const dead = new Segment(first!.collection, Uint32Array.of(0));
  const store = createStore(loaded.store, [dead, ...others]);
  await expect(writeImage(newPath(), imageContentOf({ ...loaded, store }))).rejects.toThrow(
    'a store with changes has to be compacted first',
  );
  const parts = partsOf(readFileSync((await writeImageOf(guideFolder)).path));
  const section = parts.manifest.sections.find(({ name }) => name === 'store')!;
  const document = JSON.parse(bytesOfSection(parts.data, section).toString());
  document.arrays.numbers['changes/api::thing.thing/delta/rowCount'] = 1;
  const path = writeParts(withSections(parts, new Map([['store', Buffer.from(JSON.stringify(document))]])));
  await expect(readImage(path)).rejects.toThrow('its section store: an image has no changes, but there is changes/api');
});
