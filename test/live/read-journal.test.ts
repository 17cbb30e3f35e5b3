// A journal that a server has open is read with all changes that were answered, and stays as it is.
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { Random as SeededRandom } from '../../bench/random.ts';
import { readDocument } from '../../src/changes/entries/read-document.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { loadWithJournal } from '../../src/content/live/read-journal.ts';
import type { Load } from '../../src/content/open.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { article, definitions, entries } from '../changes/content.ts';
import type { Entry } from '../changes/naive-patch.ts';
import { RandomPatches } from '../changes/random-patches.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { Random } from '../property/random.ts';
import { caseCount } from '../support/cases.ts';
import { temporaryFolder } from '../support/folders.ts';
import { journalPath, newDisk, openJournaled, writeOn } from '../support/journaled.ts';
import { loadShared } from '../support/open-shared.ts';
import { writtenTo } from '../support/written-snapshot.ts';

const snapshot = { ...definitions, entries } as unknown as JsonSnapshot;
const at = '2026-03-01T12:00:00.000Z';

async function start(disk: SimulatedDisk, limit?: number) {
  const { content, opened } = await openJournaled(disk, snapshot);
  const writer = new ChangeWriter(content, async () => {}, opened, { write: writeOn(disk.files), limit });
  const change = (...given: unknown[]) => writer.change({ previous: null, form: 'changes', given }, null);
  const compacted = async () => {
    const finished = () => writer.figures.journal!.compactions.counts.finished;
    for (const before = finished(); finished() === before; ) await new Promise(setImmediate);
  };
  return { content, writer, change, compacted };
}

/** Reads the journal of a disk. `onImage` is called before an image is loaded. */
async function read(disk: SimulatedDisk, onImage: () => Promise<void> = async () => {}) {
  const load: Load<string> = async (path, options) => {
    await onImage();
    const image = join(temporaryFolder(), 'loaded.image');
    if (!disk.names.includes(basename(path))) return loadSnapshot(`${image}.missing`, options);
    writeFileSync(image, disk.bytes(basename(path)));
    return loadSnapshot(image, options);
  };
  const settings = readOptions({ public: true });
  return loadWithJournal(journalPath, 'given', await loadShared(snapshot), settings, load, disk.files);
}

test.each([undefined, 2000])(
  'random patches are read as they are served (compacted from %s bytes on)',
  async (limit) => {
    for (let seed = 1; seed <= caseCount(30, 4); seed++) {
      const disk = newDisk(seed);
      const { content, writer, change } = await start(disk, limit);
      const numbers = new SeededRandom(seed);
      const random = new Random({ nextInt: (low: number, high: number) => numbers.integer(low, high) } as never);
      const documents = [...new Set(entries.article.map(({ documentId }) => documentId))];
      const patches = new RandomPatches(random, { authors: ['ada', 'ben'], articles: documents, files: ['cover-1'] });
      for (let i = 0; i < 12; i++) {
        const anyOf = { locale: null, status: null };
        const stored = readDocument(content.history.loaded, article, random.pick(documents), anyOf) as Entry[];
        const entry = random.pick(stored);
        const { documentId, locale, status } = entry;
        await change({ patch: article, documentId, locale, status, at, ...patches.ofArticle(entry) }).catch(() => {});
      }
      const [bytes, calls] = [disk.bytes('changes'), disk.names.sort()];
      const { loaded, version } = await read(disk);
      const digest = content.history.loaded.store.contentDigest;
      expect([loaded.store.contentDigest, version]).toEqual([digest, content.version]);
      expect((await loadSnapshot(await writtenTo(loaded))).store.contentDigest).toBe(digest);
      if (limit === undefined) expect([disk.bytes('changes'), disk.names.sort()]).toEqual([bytes, calls]);
      await writer.close();
    }
  },
);

test('a journal that is compacted while it is read is read again', async () => {
  const disk = newDisk();
  const { content, change, compacted } = await start(disk, 1);
  const upsert = (documentId: string) => change({ upsert: 'api::author.author', entry: { documentId } });
  await upsert('x');
  await compacted();
  let images = 0;
  const { loaded, version } = await read(disk, async () => {
    if (images++ > 0) return;
    // the image of before is gone then
    await upsert('y');
    await compacted();
  });
  expect(images).toBe(2);
  expect([loaded.store.contentDigest, version]).toEqual([content.history.loaded.store.contentDigest, content.version]);
});
