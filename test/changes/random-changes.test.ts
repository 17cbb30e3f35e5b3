// The changes between two random snapshots lead from the content of the first to that of the second.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runAtOnce } from '../../src/core/steps.ts';
import { type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { sha256 } from '../support/guide.ts';
import { definitions } from './content.ts';
import { changesBetween, type Entries, EntrySequences, type Version } from './random-entries.ts';

const populated = [
  ...['author', 'related', 'badge', 'subject', 'subjects', 'cover'].map((name) => `populate[${name}]=true`),
  'populate[seo][populate]=*',
  'populate[cards][populate][author]=true&populate[cards][populate][seo][populate]=*',
  'populate[blocks][on][shared.card][populate][author]=true',
  'populate[blocks][on][shared.card][populate][seo][populate]=*',
  'populate[blocks][on][shared.seo][populate]=*',
].join('&');
const paths = [
  ...['published', 'draft'].map((status) => `/articles?status=${status}&locale=*&sort=documentId,locale&${populated}`),
  '/authors?sort=documentId',
  '/badges?sort=documentId',
  '/home',
];

const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
const openEntries = (entries: Entries) =>
  open({ ...definitions, entries } as unknown as JsonSnapshot, { tokens, maxLimit: 100, defaultLimit: 100 });

async function repliesOf(content: Content): Promise<string[]> {
  const replies = await Promise.all(
    paths.map((path) => content.answer(`/api${path}`, { authorization: 'Bearer all' })),
  );
  for (const { status } of replies) expect(status).toBe(200);
  return replies.map(({ body }) => String(body));
}

const withoutIds = (replies: readonly string[]) => replies.map((reply) => reply.replaceAll(/"id":\d+,/g, ''));

/** Returns the ids of articles by version. */
function idsOf([published, drafts]: readonly string[]): Map<string, number> {
  const entries = [published, drafts].map((reply) => JSON.parse(reply).data as (Version & { id: number })[]);
  return new Map(
    entries.flatMap((list, isDraft) =>
      list.map(({ documentId, locale, id }): [string, number] => [`${documentId} ${locale} ${isDraft}`, id]),
    ),
  );
}

/** Checks that entries keep their ids, and that new ones are above all before. Returns the greatest id. */
function checkIds(before: Map<string, number>, after: Map<string, number>, greatest: number): number {
  const most = Math.max(greatest, ...before.values());
  for (const [name, id] of after) {
    if (before.has(name)) expect([name, id]).toEqual([name, before.get(name)]);
    else expect(id).toBeGreaterThan(most);
  }
  return most;
}

test('the changes from one snapshot to the next lead to its entries and links', async () => {
  const property = fc.asyncProperty(new EntrySequences(4), async ([first, ...others]) => {
    const [content, replica] = [await openEntries(first), await openEntries(first)];
    let [entries, replies, greatest] = [first, await repliesOf(content), 0];
    for (const next of others) {
      const prepared = runAtOnce(content.history.prepareInSteps(changesBetween(entries, next), 'changes'));
      runAtOnce(content.history.commitInSteps(prepared));
      const changed = await repliesOf(content);
      // the batch leads a replica to the same content
      replica.apply(JSON.parse(JSON.stringify(prepared.batch)));
      expect(await repliesOf(replica)).toEqual(changed);
      expect(replica.history.loaded.store.contentDigest).toBe(content.history.loaded.store.contentDigest);
      expect(withoutIds(changed)).toEqual(withoutIds(await repliesOf(await openEntries(next))));
      greatest = checkIds(idsOf(replies), idsOf(changed), greatest);
      [entries, replies] = [next, changed];
    }
  });
  await fc.assert(property, { seed: 20261122, numRuns: caseCount(40, 10) });
});
