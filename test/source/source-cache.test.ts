import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WriteCompacted } from '../../src/changes/compact/compact-in-thread.ts';
import { type KeptContent, SourceCache } from '../../src/follow/source-cache.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/server.ts';
import { titled } from './scripted-reading.ts';

/** Writes an image in this thread. */
const writeHere: WriteCompacted = async (path, loaded) => (await writeImage(path, imageContentOf(loaded))).bytes;

function open(others: { cacheDir?: string; key?: string; interval?: number; write?: WriteCompacted } = {}) {
  const lines: { level: number; msg: string }[] = [];
  const log = createLog(
    { ...configSchema.parse({}).log, level: 'debug' },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  const cacheDir = others.cacheDir ?? temporaryFolder();
  const cache = new SourceCache({ key: 'my-strapi', log, write: writeHere, ...others, cacheDir });
  const files = () => {
    const folder = join(cacheDir, 'sources');
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };
  return {
    cache,
    cacheDir,
    lines,
    files,
    isWritten: () => until(() => files().some((name) => name.endsWith('.json'))),
  };
}

async function content(title: string, version = title): Promise<KeptContent> {
  return { loaded: await loadSnapshot(titled(title)), version, readAt: 5000 };
}

describe('content in the cache', () => {
  test('is loaded again with the time of its reading', async () => {
    const { cache, cacheDir, isWritten } = open();
    const kept = await content('Kept');
    cache.changed(() => kept);
    await isWritten();
    await cache.close();
    const found = await open({ cacheDir }).cache.load({});
    expect(found).toMatchObject({ readAt: 5000, loaded: { uploadedFiles: null } });
    expect(found!.loaded.store.contentDigest).toBe(kept.loaded.store.contentDigest);
  });

  test('keeps the folder of its uploaded files', async () => {
    const { cache, cacheDir, isWritten } = open();
    const uploadedFiles = { kind: 'folder', path: '/my-strapi/public/uploads', names: new Set(['a.png']) } as const;
    const kept = await content('Kept');
    cache.changed(() => ({ ...kept, loaded: { ...kept.loaded, uploadedFiles } }));
    await isWritten();
    await cache.close();
    const { loaded } = (await open({ cacheDir }).cache.load({}))!;
    expect(loaded.uploadedFiles).toEqual(uploadedFiles);
    expect(loaded.replacesFiles).toBe(true);
  });

  test('is not that of another source', async () => {
    const { cache, cacheDir, isWritten } = open();
    const kept = await content('Kept');
    cache.changed(() => kept);
    await isWritten();
    await cache.close();
    const other = open({ cacheDir, key: 'other' });
    expect([await other.cache.load({}), other.lines]).toEqual([null, []]);
  });

  test.each([
    ['image', 'lectern', 'x', /is not an image|neither|problem/],
    ['file of facts', 'json', '{"readAt": 1}', /uploads/],
  ])('whose %s is damaged is named and not used', async (_, ending, text, message) => {
    const { cache, cacheDir, files, isWritten } = open();
    const kept = await content('Kept');
    cache.changed(() => kept);
    await isWritten();
    await cache.close();
    writeFileSync(files().find((name) => name.endsWith(`.${ending}`))!, text);
    const again = open({ cacheDir });
    expect(await again.cache.load({})).toBeNull();
    expect(again.lines).toMatchObject([{ level: 40, msg: expect.stringMatching(message) }]);
    expect(again.lines[0].msg).toMatch(/^the cached content cannot be used: /);
  });
});

describe('writing', () => {
  test('is done once per interval, with the latest content', async () => {
    const written: string[] = [];
    const write: WriteCompacted = (path, loaded, ...rest) => {
      written.push(loaded.store.contentDigest);
      return writeHere(path, loaded, ...rest);
    };
    const { cache } = open({ interval: 50, write });
    const [one, two, three] = await Promise.all(['One', 'Two', 'Three'].map((title) => content(title)));
    for (const kept of [one, two, three]) cache.changed(() => kept);
    expect(written).toEqual([]);
    await until(() => written.length === 2);
    // the same version again
    cache.changed(() => three);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(written).toEqual([one, three].map(({ loaded }) => loaded.store.contentDigest));
    await cache.close();
  });

  test('of urgent content does not wait for the interval, also after one that is under way', async () => {
    const written: string[] = [];
    const write: WriteCompacted = (path, loaded, ...rest) => {
      written.push(loaded.store.contentDigest);
      return writeHere(path, loaded, ...rest);
    };
    const { cache } = open({ interval: 3_600_000, write });
    const [one, two, three, four] = await Promise.all(['1', '2', '3', '4'].map((title) => content(title)));
    cache.changed(() => one);
    cache.changed(() => two, true);
    await until(() => written.length === 2);
    cache.changed(() => three);
    cache.changed(() => four, true);
    await until(() => written.length === 3);
    expect(written).toEqual([one, two, four].map(({ loaded }) => loaded.store.contentDigest));
    await cache.close();
  });

  test('is not done for the content that was loaded from it', async () => {
    const { cache, files } = open();
    const kept = await content('Kept');
    cache.setWritten(kept.version);
    cache.changed(() => kept);
    await cache.close();
    expect(files()).toEqual([]);
  });

  test('that is ended by a stop leaves no file', async () => {
    // as a thread that is ended in the middle of `writeAtomically`
    const write: WriteCompacted = async (path, _loaded, signal) => {
      writeFileSync(join(dirname(path), `.${basename(path)}.${process.pid}-${randomUUID()}`), 'half');
      await once(signal, 'abort');
      throw new Error('the thread ended early');
    };
    const { cache, files } = open({ write });
    const kept = await content('Kept');
    cache.changed(() => kept);
    await until(() => files().length === 1);
    await cache.close();
    expect(files()).toEqual([]);
  });

  test('that fails is logged once, and tried again until the content is on disk', async () => {
    let fails = true;
    let attempts = 0;
    const write: WriteCompacted = (...parts) =>
      ++attempts && fails ? Promise.reject(new Error('the disk is full')) : writeHere(...parts);
    const { cache, lines, isWritten } = open({ interval: 1, write });
    const kept = await content('Kept');
    cache.changed(() => kept, true);
    await until(() => attempts >= 3);
    expect(lines).toMatchObject([{ level: 40, msg: 'the content is not kept in the cache: the disk is full' }]);
    fails = false;
    await isWritten();
    await cache.close();
  });
});
