/** One batch has the effect of several. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { joinBatchesInSteps, withOrdinaryIds } from '../../src/changes/batch/join-batches.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { type Change, type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { article, author, definitions, entries } from './content.ts';
import { changesBetween, EntrySequences } from './random-entries.ts';

const openEntries = (given: object) => open({ ...definitions, entries: given } as unknown as JsonSnapshot);
const storeOf = (content: Content) => content.history.loaded.store;

/** Applies lists of changes one after the other, and returns their batches. */
function applyLists(content: Content, lists: readonly (readonly Change[])[]): Batch[] {
  return lists.map((list) => {
    const prepared = runAtOnce(content.history.prepareInSteps(list, 'changes'));
    runAtOnce(content.history.commitInSteps(prepared));
    return prepared.batch;
  });
}

test('that follow each other, whatever they add, change and delete', async () => {
  const property = fc.asyncProperty(new EntrySequences(4), async (sequence) => {
    const [changed, joined] = [await openEntries(sequence[0]!), await openEntries(sequence[0]!)];
    const lists = sequence.slice(1).map((next, i) => changesBetween(sequence[i]!, next));
    const before = storeOf(changed);
    const batches = applyLists(changed, lists);
    joined.apply(JSON.parse(JSON.stringify(runAtOnce(joinBatchesInSteps(before, batches)))));
    expect(storeOf(joined).contentDigest).toBe(storeOf(changed).contentDigest);
  });
  await fc.assert(property, { seed: 20261128, numRuns: caseCount(60, 15) });
});

test('that removes a component, and adds another with its id, has the links of the other', async () => {
  const [changed, joined] = [await openEntries(entries), await openEntries(entries)];
  const before = storeOf(changed);
  const batches = applyLists(changed, [
    [{ patch: article, documentId: 'one', remove: { cards: [21] } }],
    [{ patch: article, documentId: 'one', add: { cards: [{ component: { id: 21, text: 'other' } }] } }],
  ]);
  joined.apply(runAtOnce(joinBatchesInSteps(before, batches))!);
  expect(storeOf(joined).contentDigest).toBe(storeOf(changed).contentDigest);
});

test('is none if an entry is deleted and comes back, which would keep its links', async () => {
  const content = await openEntries(entries);
  const before = storeOf(content);
  const batches = applyLists(content, [
    [{ delete: author, documentId: 'ben' }],
    [{ upsert: author, entry: { id: 7, documentId: 'ben' } }],
  ]);
  expect(runAtOnce(joinBatchesInSteps(before, batches))).toBeNull();
});

test('gets ordinary ids for components from a bound on, at any depth, that are not those of others', async () => {
  const content = await openEntries(entries);
  const first = 2 ** 51;
  const card = (id: number | undefined, seo: number) => ({
    ...(id && { id }),
    text: 't',
    author: 'ben',
    seo: { id: seo },
  });
  const entry = {
    documentId: 'three',
    locale: 'en',
    cards: [card(first + 1, first + 7), card(undefined, 9), card(first, 10)],
  };
  const { batch } = runAtOnce(content.history.prepareInSteps([{ upsert: article, entry }], 'changes'));
  const { entities, links } = withOrdinaryIds(batch, storeOf(content), first);
  const ids = JSON.stringify([entities, links.map(({ type, id }) => [type, id])]).match(/"id":\d+/g);
  expect(ids!.every((id) => id.length < 10)).toBe(true);
  content.apply({ entities, links });
  const [found] = content.find('articles', { filters: { documentId: 'three' }, populate: { cards: { populate: '*' } } })
    .data as any[];
  expect(found.cards.map(({ author }: any) => author.documentId)).toEqual(['ben', 'ben', 'ben']);
  expect(new Set(found.cards.map(({ id }: any) => id)).size).toBe(3);
  expect(found.cards.map(({ seo }: any) => seo.id)).toEqual([11, 9, 10]);
});
