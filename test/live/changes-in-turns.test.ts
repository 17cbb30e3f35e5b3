import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Random } from '../../bench/random.ts';
import type { Change } from '../../src/changes/batch/json-change.ts';
import type { Compact } from '../../src/changes/compact/compact-in-thread.ts';
import { Content } from '../../src/content/content.ts';
import { VersionHistory } from '../../src/content/versions/version-history.ts';
import { SnapshotError } from '../../src/core/errors.ts';
import { runInTurns } from '../../src/core/steps.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { segmentOf } from '../../src/store/store.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { caseCount } from '../support/cases.ts';
import { compactHere } from '../support/compact-here.ts';
import { newDisk, openJournaled } from '../support/journaled.ts';
import { config, ThreadedSite, thing, thingsSnapshot } from './threaded-site.ts';

/** Batches are prepared in several turns of the event loop, in the thread that takes them and in those that answer. */

beforeAll(prepareDigests);
afterEach(() => vi.restoreAllMocks());

/** Ends a step of work in a turn of its own with this probability, whatever time it takes. */
function cutSteps(draw: () => boolean): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += draw() ? 10 : 0));
}

const urls = ['?sort=id&populate=*&pagination[pageSize]=100', '?filters[fans][name][$contains]=1&sort=name', '/d3'];

async function repliesOf(content: Content): Promise<string[]> {
  const replies = await Promise.all(urls.map((url) => content.answer(`/api/things${url}`)));
  return replies.map(({ status, body }) => `${status} ${body}`);
}

const documents = Array.from({ length: 24 }, (_, i) => `d${i}`);

/** Draws changes, some of which are refused: references to documents that do not exist. */
function drawChanges(random: Random): Change[] {
  const below = (limit: number) => Math.floor(random.next() * limit);
  const pick = () => documents[below(documents.length)];
  return Array.from({ length: 1 + below(5) }, () => {
    if (random.next() < 0.15) return { delete: thing, documentId: pick() };
    const friends = random.next() < 0.3 ? [pick()] : [];
    return { upsert: thing, entry: { documentId: pick(), name: `name ${below(1000)}`, friends } };
  });
}

/** Returns whether a content accepts changes, and applies them. */
function isApplied(content: Content, changes: readonly Change[]): boolean {
  try {
    content.apply({ changes });
    return true;
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

test('whatever turns batches and compactions take, readers see the batches in order, whole and kept', async () => {
  const counts = { refused: 0, reads: 0, readsOfEarlier: 0, preparedAgain: 0, compactions: 0 };
  const preparesAgain = vi.spyOn(VersionHistory.prototype, 'prepareReadInSteps');
  for (let seed = 1; seed <= caseCount(60, 6); seed++) {
    const random = new Random(seed);
    const disk = newDisk(seed);
    const turns = async (limit: number) => {
      for (let i = Math.floor(random.next() * limit); i > 0; i--) await nextTurn();
    };
    const site = await ThreadedSite.open(disk, 20, () => turns(20));
    const { content, changes, threads } = site;
    await site.start();
    const model = await openModel();
    /** By sequence. */
    const expected = [await repliesOf(model)];
    const seen = new Map<Content, number>();
    const columnOfBase = () => segmentOf(content.history.loaded.store, thing).collection.columns.get('id');
    let base = columnOfBase();
    content.history.served.changes.listenToRebases(() => (base = columnOfBase()));
    const read = async () => {
      expect(columnOfBase(), `seed ${seed}: a change has undone a compaction`).toBe(base);
      for (const each of [content, ...threads.map((thread) => thread.content)]) {
        if (!each) continue;
        const { sequence } = each.history.version;
        expect(sequence).toBeGreaterThanOrEqual(seen.get(each) ?? 0);
        expect(sequence).toBeLessThanOrEqual(site.journal.sequence);
        seen.set(each, sequence);
        counts.reads++;
        if (sequence < expected.length - 1) counts.readsOfEarlier++;
        expect(await repliesOf(each), `seed ${seed}, sequence ${sequence}`).toEqual(expected[sequence]);
      }
    };
    cutSteps(() => random.next() < 0.2);
    const pending: Promise<unknown>[] = [];
    for (let i = 0; i < 14; i++) {
      const drawn = random.next();
      if (drawn < 0.65) {
        const given = drawChanges(random);
        const isValid = isApplied(model, given);
        if (isValid) expected.push(await repliesOf(model));
        const sequence = isValid ? expected.length - 1 : null;
        if (!isValid) counts.refused++;
        const answer = site.change(given).then(
          (answered) => answered.sequence,
          (error) => {
            if (error instanceof SnapshotError) return null;
            throw error;
          },
        );
        pending.push(answer.then((found) => expect(found, `seed ${seed}`).toBe(sequence)));
      } else if (drawn < 0.8) pending.push(content.compact());
      else pending.push(site.start());
      for (let turn = Math.floor(random.next() * 12); turn > 0; turn--) {
        await nextTurn();
        await read();
      }
    }
    await Promise.all(pending);
    // of the last compaction, which no answer waits for
    await Promise.all(threads.map((thread) => thread.change([])));
    vi.mocked(performance.now).mockRestore();
    await read();
    for (const each of seen.keys()) expect(each.version).toBe(content.version);
    counts.compactions += content.history.compactionFigures.counts.finished;
    expect(content.history.compactionFigures.counts.failed).toBe(0);
    counts.preparedAgain += preparesAgain.mock.contexts.filter((served) => served === content.history).length;
    await changes.close();
    const reopened = await openJournaled(disk, thingsSnapshot(20));
    expect(await repliesOf(reopened.content)).toEqual(expected.at(-1));
    expect(reopened.content.version).toBe(content.version);
    await reopened.opened.journal.close();
  }
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(0);
});

async function openModel(): Promise<Content> {
  return new Content(await loadSnapshot(thingsSnapshot(20), { dialect: 'document' }), config, 0, {
    compactions: { limits: null },
  });
}

test('a thread that starts when a batch becomes visible gets it once', async () => {
  for (let hops = 1; hops < 8; hops++) {
    const site = await ThreadedSite.open(newDisk(), 20);
    await site.start();
    const started = new Promise<void>((resolve, reject) => {
      site.content.history.served.changes.listen(async () => {
        for (let hop = 0; hop < hops; hop++) await null;
        site.start().then(resolve, reject);
      });
    });
    await site.change([{ upsert: thing, entry: { documentId: 'd1', name: 'changed' } }]);
    await started;
    const versions = site.threads.map(({ content }) => content!.version);
    expect(versions, `after ${hops} microtasks`).toEqual([site.content.version, site.content.version]);
  }
});

test('the event loop turns while a batch of 1,000 is prepared, in each thread', async () => {
  const site = await ThreadedSite.open(newDisk(), 1000);
  await site.start();
  const seen: string[] = [];
  cutSteps(() => true);
  let isDone = false;
  const given = Array.from({ length: 1000 }, (_, i) => ({
    upsert: thing,
    entry: { documentId: `d${i}`, name: `changed ${i}`, friends: ['d7'] },
  }));
  const answered = site.change(given).finally(() => (isDone = true));
  const [thread] = site.threads;
  while (!isDone) {
    const versions = [site.content, thread.content!].map(({ history }) => history.version.sequence);
    seen.push(versions.join(' '));
    await nextTurn();
  }
  await answered;
  const turnsOf = (versions: string) => seen.filter((each) => each === versions).length;
  // a step for each entry, at least
  expect(turnsOf('0 0')).toBeGreaterThan(1000);
  expect(turnsOf('1 0')).toBeGreaterThan(1000);
});

test('the event loop turns while a store with shown drafts is prepared after a compaction, for a reload and for a pin', async () => {
  const settings = readOptions({ public: true, drafts: true });
  let compacted = Number.POSITIVE_INFINITY;
  let turns = 0;
  const compact: Compact = async (...input) => {
    const store = await compactHere(...input);
    compacted = turns;
    return store;
  };
  const content = new Content(await loadSnapshot(thingsSnapshot(20)), settings, 0, {
    compactions: { compact, limits: null },
  });
  content.apply({ changes: [{ upsert: thing, entry: { documentId: 'd1', name: 'changed' } }] });
  cutSteps(() => true);
  const turnsUntil = async (work: Promise<unknown>) => {
    let isDone = false;
    void work.finally(() => (isDone = true));
    for (turns = 0; !isDone; turns++) await nextTurn();
    await work;
    return turns;
  };
  const { history } = content;
  // a step for each segment, at least
  const steps = history.loaded.store.segments.length;
  expect((await turnsUntil(content.compact())) - compacted).toBeGreaterThan(steps);
  const [, before] = content.versions;
  expect(await turnsUntil(runInTurns(history.pinInSteps(before.version)))).toBeGreaterThan(steps);
  expect(content.pinned).toMatchObject({ version: before.version });
  const other = await loadSnapshot(thingsSnapshot(21));
  expect(await turnsUntil(runInTurns(history.replaceInSteps(other)))).toBeGreaterThan(steps);
  content.unpin();
  expect(content.summary.types.find(({ uid }) => uid === thing)).toMatchObject({ entries: 21 });
});
