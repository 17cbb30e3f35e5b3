import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random as SeededRandom } from '../../bench/random.ts';
import { readDocument } from '../../src/changes/entries/read-document.ts';
import type { Preview } from '../../src/content/previews/preview.ts';
import { listsInSteps } from '../../src/content/previews/preview-changes.ts';
import { PreviewUpdates } from '../../src/content/previews/preview-updates.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { type Change, type JsonSnapshot, open } from '../../src/index.ts';
import { article, definitions } from '../changes/content.ts';
import type { Entry } from '../changes/naive-patch.ts';
import { EntrySequences } from '../changes/random-entries.ts';
import { RandomPatches } from '../changes/random-patches.ts';
import { Random } from '../property/random.ts';
import { caseCount } from '../support/cases.ts';
import { previewOf } from './preview-of.ts';

const at = '2026-03-01T12:00:00.000Z';

async function readAll(preview: Preview, documentId: string): Promise<Entry[]> {
  const { content } = await preview.open();
  return readDocument(content.history.loaded, article, documentId, { locale: null, status: null });
}

test('a preview shows what its patches lead to one after the other, over every state of its base', async () => {
  const property = fc.asyncProperty(
    new EntrySequences(1),
    fc.integer({ min: 1, max: 2 ** 30 }),
    async ([generated], seed) => {
      const drawn = new SeededRandom(seed);
      const nextInt = (low: number, high: number) => low + Math.floor(drawn.next() * (high - low + 1));
      const random = new Random({ nextInt } as fc.Random);
      const snapshot = { ...definitions, entries: generated } as unknown as JsonSnapshot;
      const base = await open(snapshot);
      const preview = previewOf(base, []);
      const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
      const lists = () => runAtOnce(listsInSteps(preview.changes));
      const documentsOf = (list: readonly { documentId: string }[]) => [...new Set(list.map((one) => one.documentId))];
      const articles = documentsOf(generated.article);
      const patches = new RandomPatches(random, {
        authors: documentsOf(generated.author),
        articles,
        files: documentsOf(generated.file),
      });
      const sent: object[] = [];
      for (let step = 0; step < 8; step++) {
        const documentId = random.pick(articles);
        if (random.chance(25)) {
          // a base changes in what patches refer to by value only
          const { locale, status } = random.pick(generated.article.filter((one) => one.documentId === documentId));
          const set = { title: `base ${step}`, rating: step };
          base.apply({ changes: [{ patch: article, documentId, locale, status, set, at } as Change] });
        } else {
          const entry = random.pick(await readAll(preview, documentId));
          const { locale, status } = entry;
          const change = { patch: article, documentId, locale, status, at, ...patches.ofArticle(entry) };
          await updates.change({ previous: null, form: 'changes', given: [change] }, null);
          sent.push(change);
        }
        const expected = previewOf(
          base,
          sent.map((change) => [change]),
        );
        for (const each of articles) {
          expect(await readAll(preview, each)).toEqual(await readAll(expected, each));
          expect(await readAll(previewOf(base, lists()), each)).toEqual(await readAll(expected, each));
        }
      }
    },
  );
  await fc.assert(property, { seed: 20261126, numRuns: caseCount(40, 8) });
});
