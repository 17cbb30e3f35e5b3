// A patch leads to the content that an upsert of the whole entry leads to, with what the patch changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random as SeededRandom } from '../../bench/random.ts';
import { readDocument } from '../../src/changes/entries/read-document.ts';
import { WrittenEntries } from '../../src/changes/entries/written-entries.ts';
import { type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { Random } from '../property/random.ts';
import { caseCount } from '../support/cases.ts';
import { article, definitions } from './content.ts';
import { type Entry, naivePatch, type Operations } from './naive-patch.ts';
import { type Entries, EntrySequences } from './random-entries.ts';
import { RandomPatches } from './random-patches.ts';

const at = '2026-03-01T12:00:00.000Z';

const openEntries = (entries: Entries) => open({ ...definitions, entries } as unknown as JsonSnapshot);

function articlesOf(content: Content): Entry[] {
  const { loaded } = content.history;
  const segment = loaded.store.segments.find(({ collection }) => collection.type.uid === article)!;
  const written = new WrittenEntries(loaded.store, loaded);
  const rows = Array.from({ length: segment.rowCount }, (_, row) => row).filter((row) => segment.isLive(row));
  return rows.map((row) => written.entry(segment.collection.type, row));
}

const documentsOf = (entries: readonly { documentId: string }[]) => [...new Set(entries.map((one) => one.documentId))];

/** What a patch names besides its operations. */
const nameOf = ({ documentId, locale, status }: Entry) => ({ patch: article, documentId, locale, status, at });

function digestOf({ history }: Content): string {
  return history.loaded.store.contentDigest;
}

test('random patches lead to what upserts of the naive result lead to', async () => {
  const counts = { patches: 0, operations: new Map<string, number>() };
  const count = (operations: Operations) => {
    counts.patches++;
    for (const name of Object.keys(operations)) counts.operations.set(name, (counts.operations.get(name) ?? 0) + 1);
  };
  const seeds = fc.integer({ min: 1, max: 2 ** 30 });
  const property = fc.asyncProperty(new EntrySequences(1), seeds, async ([entries], seed) => {
    const drawn = new SeededRandom(seed);
    const nextInt = (low: number, high: number) => low + Math.floor(drawn.next() * (high - low + 1));
    const random = new Random({ nextInt } as fc.Random);
    const [patched, upserted] = [await openEntries(entries), await openEntries(entries)];
    const pools = {
      authors: documentsOf(entries.author),
      articles: documentsOf(entries.article),
      files: documentsOf(entries.file),
    };
    const patches = new RandomPatches(random, pools);
    for (let step = 0; step < 6; step++) {
      const changes: object[] = [];
      const expected = new Map<string, object>();
      for (let i = 0; i < 2; i++) {
        const entry = random.pick(articlesOf(patched));
        if (expected.has(JSON.stringify(nameOf(entry)))) continue;
        const operations = patches.ofArticle(entry);
        count(operations);
        changes.push({ ...nameOf(entry), ...operations });
        const next = { ...naivePatch(entry, operations), updatedAt: at };
        expected.set(JSON.stringify(nameOf(entry)), { upsert: article, entry: next, at });
      }
      patched.apply({ changes: changes as never });
      upserted.apply({ changes: [...expected.values()] as never });
      expect(articlesOf(patched), JSON.stringify(changes)).toEqual(articlesOf(upserted));
      expect(digestOf(patched)).toBe(digestOf(upserted));
    }
    for (const { documentId } of entries.article) {
      const all = { locale: null, status: null };
      const [one, other] = [patched, upserted].map(({ history }) =>
        readDocument(history.loaded, article, documentId, all),
      );
      expect(one).toEqual(other);
    }
  });
  await fc.assert(property, { seed: 20261126, numRuns: caseCount(80, 15) });
  for (const operation of ['set', 'connect', 'disconnect', 'order', 'components', 'add', 'move', 'remove']) {
    expect(counts.operations.get(operation) ?? 0, operation).toBeGreaterThan(10);
  }
});
