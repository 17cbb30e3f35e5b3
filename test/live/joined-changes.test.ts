/** Changes of a log that wait are applied as one batch: what is served then is the same as after one change after the other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Batch, BatchLinks } from '../../src/changes/batch/batch.ts';
import type { LoggedChange } from '../../src/changes/log/logged-change.ts';
import { stateDigest } from '../../src/changes/log/state-digest.ts';
import type { Content } from '../../src/content/content.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { digestsOf } from '../../src/content/versions/prepared-change.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { Change, JsonSnapshot } from '../../src/index.ts';
import { versionText } from '../../src/store/content-version.ts';
import { article, author, definitions, entries } from '../changes/content.ts';
import { changesBetween, EntrySequences } from '../changes/random-entries.ts';
import { caseCount } from '../support/cases.ts';
import { ask, openFor } from './compare.ts';

const urls = [
  '/api/articles?populate=*&sort=title&locale=en',
  '/api/articles?populate=*&sort=rating:desc,id&locale=fr&status=draft',
  '/api/articles?populate[cards][populate]=*&populate[blocks][populate]=*',
  '/api/articles?filters[author][name][$in]=red&filters[author][name][$in]=blue&populate=related',
  '/api/articles?filters[cards][text][$eq]=green&fields=title',
  '/api/authors?populate=*&sort=name',
  '/api/badges?populate=*&sort=id',
  '/api/home',
];

const openEntries = (given: object) =>
  openFor({ ...definitions, entries: given } as unknown as JsonSnapshot, 'document');

async function repliesOf(content: Content): Promise<unknown[]> {
  const replies = [];
  for (const url of urls) replies.push(await ask(content, { url, caller: 'everything' }));
  return replies;
}

/** Applies a list of changes in JSON, and returns what a log has of it. */
function applyList({ history }: Content, list: readonly Change[]): LoggedChange {
  const prepared = runAtOnce(history.prepareInSteps(list, 'changes'));
  runAtOnce(history.commitInSteps(prepared));
  const { batch } = prepared;
  return { ...history.version, digests: digestsOf(prepared), changes: JSON.parse(JSON.stringify(batch)) };
}

/** A content that takes changes of a log from the version of a publisher on, and another thread with the same content. */
async function openReplica(given: object, publisher: Content) {
  const open = async () => {
    const content = await openEntries(given);
    const { version } = publisher.history;
    runAtOnce(content.history.replaceInSteps({ ...content.history.loaded, version }, 0, true));
    return content;
  };
  const [content, thread] = [await open(), await open()];
  const versions: string[] = [];
  const writer = new ChangeWriter(content, async (change) => {
    runAtOnce(thread.history.repeatInSteps(change));
    versions.push(change.version);
  });
  return { content, thread, writer, versions };
}

test('changes that are joined in runs of any length lead to the same versions, digests and bytes', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 5, maxLength: 5 });
  const property = fc.asyncProperty(new EntrySequences(6), lengths, async (sequence, runs) => {
    const publisher = await openEntries(sequence[0]!);
    const { content, thread, writer, versions } = await openReplica(sequence[0]!, publisher);
    let at = 0;
    for (const length of runs) {
      const run = sequence.slice(at + 1, at + 1 + length);
      if (run.length === 0) break;
      const changes = run.map((next) => applyList(publisher, changesBetween(sequence[at++]!, next)));
      // what is cached must not be answered after the change
      await Promise.all([repliesOf(content), repliesOf(thread)]);
      versions.length = 0;
      await writer.takeAll(changes);
      expect(versions).toEqual([publisher.version]);
      for (const each of [content, thread]) {
        expect(each.version).toBe(publisher.version);
        expect(stateDigest(each.history.loaded)).toBe(stateDigest(publisher.history.loaded));
        expect(await repliesOf(each)).toEqual(await repliesOf(publisher));
      }
    }
  });
  await fc.assert(property, { seed: 20261128, numRuns: caseCount(40, 10) });
});

test('a thousand changes that wait are one batch', async () => {
  const publisher = await openEntries(entries);
  const { content, writer, versions } = await openReplica(entries, publisher);
  const changes = Array.from({ length: 1000 }, (_, i) =>
    applyList(publisher, [
      { patch: article, documentId: 'one', set: { title: `title ${i}`, author: i % 2 === 0 ? 'ada' : 'ben' } },
      { upsert: author, entry: { documentId: `author-${i % 50}`, name: `name ${i}` } },
    ]),
  );
  await writer.takeAll(changes);
  expect(versions).toEqual([publisher.version]);
  expect(await repliesOf(content)).toEqual(await repliesOf(publisher));
});

/** Returns changes of a log that lead from a content through some batches, which are applied to it. */
function applyBatches({ history }: Content, batches: readonly Batch[]): LoggedChange[] {
  return batches.map((changes) => {
    const prepared = runAtOnce(history.prepareInSteps(changes, 'batch'));
    runAtOnce(history.commitInSteps(prepared));
    return { ...history.version, digests: digestsOf(prepared), changes };
  });
}

const to = (id: number) => ({ type: author, id, position: 1, inversePosition: 1 });
const authorOf = (id: number, targets: BatchLinks['targets']): BatchLinks => {
  return { type: article, id, attribute: 'author', targets };
};
const ben = { type: author, id: 7, data: { id: 7, documentId: 'ben', name: 'Ben' } };
const withoutBen = { entities: [{ ...ben, data: null }], links: [] };

test('links alone, to entries that a later change deletes, are joined', async () => {
  const publisher = await openEntries(entries);
  const { content, writer, versions } = await openReplica(entries, publisher);
  const changes = applyBatches(publisher, [
    { entities: [], links: [authorOf(10, [to(7)]), authorOf(12, [to(3)])] },
    { entities: [{ type: author, id: 9, data: { id: 9, documentId: 'cleo' } }], links: [authorOf(11, [to(9)])] },
    { entities: [{ type: author, id: 9, data: null }], links: [authorOf(10, [])] },
    withoutBen,
  ]);
  await writer.takeAll(changes);
  expect(versions).toEqual([publisher.version]);
  expect(await repliesOf(content)).toEqual(await repliesOf(publisher));
});

test('an entry that is deleted and comes back without its links is applied one change after the other', async () => {
  const publisher = await openEntries(entries);
  const { content, writer, versions } = await openReplica(entries, publisher);
  const changes = applyBatches(publisher, [withoutBen, { entities: [ben], links: [] }]);
  await writer.takeAll(changes);
  expect(versions).toHaveLength(2);
  expect(await repliesOf(content)).toEqual(await repliesOf(publisher));
});

test('of changes that do not fit, those before are served, and the error is that of the change', async () => {
  const publisher = await openEntries(entries);
  const { content, writer, versions } = await openReplica(entries, publisher);
  const [first, second, third] = applyBatches(publisher, [
    { entities: [], links: [authorOf(10, [to(7)])] },
    { entities: [], links: [authorOf(10, [])] },
    { entities: [], links: [authorOf(10, [to(3)])] },
  ]);
  const wrong = { ...second!, digests: { ...second!.digests, after: 'another' } };
  await expect(writer.takeAll([first!, wrong])).rejects.toThrow('the digest is');
  expect([content.version, ...versions]).toEqual([versionText(first!), versionText(first!)]);
  await expect(writer.takeAll([third!])).rejects.toThrow(`the version is ${versionText(second!)}`);
  await writer.takeAll([second!, third!]);
  expect(content.version).toBe(publisher.version);
});
