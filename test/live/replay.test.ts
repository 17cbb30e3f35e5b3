// The changes of a journal are taken over to another snapshot where they fit, and none is lost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random as SeededRandom } from '../../bench/random.ts';
import { readDocument } from '../../src/changes/entries/read-document.ts';
import { ChangeWriter, type ReplayReport } from '../../src/content/live/change-writer.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { article, author, definitions, entries } from '../changes/content.ts';
import type { Entry } from '../changes/naive-patch.ts';
import { EntrySequences } from '../changes/random-entries.ts';
import { RandomPatches } from '../changes/random-patches.ts';
import { faults, type SimulatedDisk } from '../journal/simulated-disk.ts';
import { Random } from '../property/random.ts';
import { caseCount } from '../support/cases.ts';
import { journalPath, newDisk, openJournaled, writeOn } from '../support/journaled.ts';
import { loadShared } from '../support/open-shared.ts';

const at = '2026-03-01T12:00:00.000Z';

const snapshotOf = (given: object, roles: readonly object[] = definitions.roles) =>
  ({ ...definitions, roles, entries: given }) as unknown as JsonSnapshot;

const before = snapshotOf(entries);

type Running = Awaited<ReturnType<typeof start>>;

async function start(disk: SimulatedDisk, snapshot: JsonSnapshot = before, limit?: number) {
  const { content, opened } = await openJournaled(disk, snapshot);
  const writer = new ChangeWriter(content, async () => {}, opened, { write: writeOn(disk.files), limit });
  const change = (given: unknown, form: 'changes' | 'batch' = 'changes', key?: string) =>
    writer.change({ previous: null, form, given }, key === undefined ? null : { key, digest: key });
  const replay = async (next: JsonSnapshot) => {
    let report: ReplayReport | null = null;
    const replayed = (found: ReplayReport) => void (report = found);
    const isNew = await writer.reload(await loadShared(next), { started: 0, changes: 'replay', replayed });
    return { isNew, report: report as ReplayReport | null };
  };
  return { content, writer, change, replay };
}

const digestOf = ({ content }: Pick<Running, 'content'>) => content.history.loaded.store.contentDigest;

function read({ content }: Pick<Running, 'content'>, uid: string, documentId: string) {
  return readDocument(content.history.loaded, uid, documentId, { locale: null, status: null }) as Entry[];
}

/** Restarts with a snapshot, and expects the same content and version. */
async function expectKept(disk: SimulatedDisk, running: Running, snapshot: JsonSnapshot): Promise<void> {
  const [digest, version] = [digestOf(running), running.content.version];
  await running.writer.close();
  disk.restart();
  const again = await start(disk, snapshot);
  expect([digestOf(again), again.content.version]).toEqual([digest, version]);
  expect((await again.change([{ upsert: author, entry: { documentId: 'late' } }])).sequence).toBe(
    Number(version.split('-')[1]) + 1,
  );
  await again.writer.close();
}

const text = (documentId: string, title: string) => ({ patch: article, documentId, set: { title }, at });

test('changes that fit are served over the new snapshot, and the others are kept beside the journal', async () => {
  const disk = newDisk();
  const running = await start(disk);
  const documentId = entries.article[0].documentId;
  const old = running.content.version.split('-')[0];
  const answers = [
    await running.change(
      [{ upsert: author, entry: { documentId: 'eve', name: 'Eve' }, ifAbsent: true }],
      'changes',
      'k1',
    ),
    await running.change([
      { patch: author, documentId: 'ada', set: { name: 'Ada L.' }, at },
      { patch: author, documentId: 'ben', set: { name: 'Benjamin' }, at },
    ]),
    await running.change([text(documentId, 'Patched')]),
    await running.change([{ delete: author, documentId: 'ben' }], 'changes', 'k2'),
    await running.change(
      { entities: [{ type: author, id: 3, data: { documentId: 'ada', name: 'by id' } }], links: [] },
      'batch',
    ),
  ];
  // without ben, and with other ids and values
  const next = snapshotOf({
    ...entries,
    author: [{ id: 8, documentId: 'ada', name: 'Ada of the new snapshot' }],
    article: [{ id: 71, documentId, locale: 'en', title: 'Theirs', rating: 9 }],
    badge: [],
  });
  const { isNew, report } = await running.replay(next);
  expect(isNew).toBe(true);
  expect(report).toEqual({
    taken: 3,
    left: {
      count: 3,
      file: `${journalPath}.left-${old}-5.ndjson`,
      changes: [
        {
          place: `${old}-2, changes[1]`,
          change: { patch: author, documentId: 'ben', set: { name: 'Benjamin' }, at },
          reason: expect.stringContaining('no author with documentId "ben"'),
        },
        {
          place: `${old}-4, changes[0]`,
          change: { delete: author, documentId: 'ben' },
          reason: expect.stringContaining('no author with documentId "ben"'),
        },
        {
          place: `${old}-5`,
          change: { batch: expect.anything() },
          reason: expect.stringContaining('rows by their ids'),
        },
      ],
    },
  });
  expect(read(running, author, 'eve')).toMatchObject([{ name: 'Eve' }]);
  expect(read(running, author, 'ada')).toMatchObject([{ id: 8, name: 'Ada L.' }]);
  expect(read(running, article, documentId)).toMatchObject([{ id: 71, title: 'Patched', rating: 9, updatedAt: at }]);
  expect(running.content.version).toMatch(/-3$/);
  const lines = disk.read(`changes.left-${old}-5.ndjson`).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(report!.left!.changes.map(({ change }) => change));
  // keys stay, also of changes that were left
  expect(await running.change([], 'changes', 'k1')).toEqual(answers[0]);
  expect(await running.change([], 'changes', 'k2')).toEqual(answers[3]);
  await expectKept(disk, running, next);
});

test('changes are replayed again and again', async () => {
  const disk = newDisk();
  const running = await start(disk);
  await running.change([{ upsert: author, entry: { documentId: 'eve', name: 'Eve' } }]);
  const snapshots = ['x', 'y', 'z'].map((name) =>
    snapshotOf({ ...entries, author: [...entries.author, { documentId: name, name }] }),
  );
  for (const [i, next] of snapshots.entries()) {
    expect((await running.replay(next)).report).toEqual({ taken: i + 1, left: null });
    await running.change([{ patch: author, documentId: 'eve', set: { name: 'Eva' } }]);
    await running.replay(before);
  }
  expect(read(running, author, 'eve')).toMatchObject([{ name: 'Eva' }]);
  expect(running.content.version).toMatch(/-4$/);
  expect(disk.names).toEqual(['changes']);
});

test('a snapshot that is the one of the journal keeps it as it is', async () => {
  const disk = newDisk();
  const running = await start(disk);
  await running.change([{ upsert: author, entry: { documentId: 'eve', name: 'Eve' } }]);
  const { version } = running.content;
  expect(await running.replay(before)).toEqual({ isNew: false, report: null });
  expect(running.content.version).toBe(version);
});

test('changes of one request that need each other are taken together', async () => {
  const running = await start(newDisk());
  const { documentId } = entries.article[0];
  await running.change([
    { patch: article, documentId, locale: 'en', connect: { author: ['eve'] }, at },
    { upsert: author, entry: { documentId: 'eve', name: 'Eve' } },
    { patch: author, documentId: 'ben', set: { name: 'B' } },
  ]);
  const next = snapshotOf({
    ...entries,
    author: [entries.author[0]],
    article: [{ documentId, locale: 'en' }],
    badge: [],
  });
  expect((await running.replay(next)).report).toMatchObject({ taken: 2, left: { count: 1 } });
  expect(read(running, article, documentId)).toMatchObject([{ author: 'eve' }]);
});

describe('a component that a change has made', () => {
  const { documentId } = entries.article[0];
  const patch = (operations: object) => ({ patch: article, documentId, locale: 'en', at, ...operations });
  const cardsOf = (running: Running) =>
    (read(running, article, documentId)[0].cards as { text: string }[]).map(({ text: value }) => value);

  test('is found by later changes, although its id belongs to another one', async () => {
    const running = await start(newDisk(), snapshotOf({ ...entries, article: [{ documentId, locale: 'en' }] }));
    await running.change([
      patch({ add: { cards: [{ component: { text: 'first' } }, { component: { text: 'second' } }] } }),
    ]);
    const [first, second] = read(running, article, documentId)[0].cards as { id: number }[];
    await running.change([patch({ components: { cards: [{ id: second.id, set: { text: 'changed' } }] } })]);
    await running.change([patch({ move: { cards: [{ id: second.id, position: { before: first.id } }] } })]);
    await running.change([patch({ remove: { cards: [first.id] } })]);
    const cards = [
      { id: second.id, text: 'theirs' },
      { id: first.id, text: 'theirs too' },
    ];
    const { report } = await running.replay(snapshotOf({ ...entries, article: [{ documentId, locale: 'en', cards }] }));
    expect(report).toEqual({ taken: 4, left: null });
    expect(cardsOf(running)).toEqual(['theirs', 'theirs too', 'changed']);
  });

  test('is not mistaken for another one that was made with it, if they stand in another order', async () => {
    const [one, two] = [
      { id: 501, text: 'one' },
      { id: 502, text: 'two' },
    ];
    const article0 = (cards: object[]) => snapshotOf({ ...entries, article: [{ documentId, locale: 'en', cards }] });
    const running = await start(newDisk(), article0([one, two]));
    const placedBefore = (id: number, text: string) => ({ component: { text }, position: { before: id } });
    await running.change([patch({ add: { cards: [placedBefore(501, 'a'), placedBefore(502, 'b')] } })]);
    const [a] = read(running, article, documentId)[0].cards as { id: number }[];
    await running.change([patch({ components: { cards: [{ id: a.id, set: { text: 'changed' } }] } })]);
    const { report } = await running.replay(article0([two, one]));
    expect(report).toMatchObject({ taken: 1, left: { count: 1 } });
    expect(cardsOf(running)).toEqual(['b', 'two', 'a', 'one']);
  });

  test('is not mistaken for another one if it could not be made', async () => {
    const given = [{ id: 500, text: 'given' }];
    const running = await start(
      newDisk(),
      snapshotOf({ ...entries, article: [{ documentId, locale: 'en', cards: given }] }),
    );
    await running.change([patch({ add: { cards: [{ component: { text: 'mine' }, position: { after: 500 } }] } })]);
    const [, mine] = read(running, article, documentId)[0].cards as { id: number }[];
    await running.change([patch({ components: { cards: [{ id: mine.id, set: { text: 'changed' } }] } })]);
    const cards = [{ id: mine.id, text: 'theirs' }];
    const { report } = await running.replay(snapshotOf({ ...entries, article: [{ documentId, locale: 'en', cards }] }));
    expect(report).toMatchObject({ taken: 0, left: { count: 2 } });
    expect(report!.left!.changes[1].reason).toContain(`the component ${mine.id} was made by a change`);
    expect(cardsOf(running)).toEqual(['theirs']);
  });
});

test('an upsert with ids of the snapshot before is taken without them', async () => {
  const { documentId } = entries.article[0];
  const running = await start(
    newDisk(),
    snapshotOf({ ...entries, article: [{ id: 5, documentId, locale: 'en', cards: [{ id: 9, text: 'a' }] }] }),
  );
  const [entry] = read(running, article, documentId);
  await running.change([{ upsert: article, entry: { ...entry, title: 'Sent back' } }]);
  const others = [
    { id: 5, documentId: 'other', locale: 'en', cards: [{ id: 9, text: 'b' }] },
    { id: 6, documentId, locale: 'en' },
  ];
  expect((await running.replay(snapshotOf({ ...entries, article: others }))).report).toEqual({ taken: 1, left: null });
  expect(read(running, article, documentId)).toMatchObject([{ id: 6, title: 'Sent back', cards: [{ text: 'a' }] }]);
  expect(read(running, article, 'other')).toMatchObject([{ id: 5, cards: [{ id: 9, text: 'b' }] }]);
});

test('a large change that is left is whole in the file, and only named in the report', async () => {
  const disk = newDisk();
  const running = await start(disk);
  const name = 'x'.repeat(20_000);
  await running.change([{ patch: author, documentId: 'ben', set: { name }, at }]);
  const others = { ...entries, author: [entries.author[0]], article: [], badge: [] };
  const { report } = await running.replay(snapshotOf(others));
  expect(report!.left!.changes).toMatchObject([{ change: { patch: author, documentId: 'ben' } }]);
  expect(JSON.stringify(report)).not.toContain('xxx');
  const file = disk.names.find((each) => each.includes('.left-'))!;
  expect(JSON.parse(disk.read(file))).toEqual({ patch: author, documentId: 'ben', set: { name }, at });
});

test('a journal that was compacted is not replayed, and the answer names a way out', async () => {
  const disk = newDisk();
  const running = await start(disk, before, 1);
  await running.change([{ upsert: author, entry: { documentId: 'eve' } }]);
  while (!disk.names.some((name) => name.endsWith('.image'))) await new Promise(setImmediate);
  while (running.writer.figures.journal!.compactions.counts.finished === 0) await new Promise(setImmediate);
  const [digest, names] = [digestOf(running), disk.names.sort()];
  const error = await running
    .replay(snapshotOf({ ...entries, author: [...entries.author, { documentId: 'x' }] }))
    .catch((reason) => reason);
  expect(error).toMatchObject({ status: 409, message: expect.stringContaining('lectern export') });
  expect([digestOf(running), disk.names.sort()]).toEqual([digest, names]);
});

/** The snapshot that is opened, and what is served of it. */
async function recovered(disk: SimulatedDisk, snapshots: readonly JsonSnapshot[]) {
  const found: { index: number; digest: string }[] = [];
  for (const [index, snapshot] of snapshots.entries()) {
    disk.restart();
    const running = await start(disk, snapshot).catch(() => null);
    if (!running) continue;
    found.push({ index, digest: digestOf(running) });
    await running.writer.close();
  }
  return found;
}

test('a fault at any call leaves the old content with all changes, or the new one with all that fit', {
  timeout: 120_000,
}, async () => {
  const next = snapshotOf({ ...entries, author: [{ documentId: 'ada', name: 'New' }], badge: [], article: [] });
  const prepared = async (seed: number) => {
    const disk = newDisk(seed);
    const running = await start(disk);
    await running.change([{ upsert: author, entry: { documentId: 'eve', name: 'Eve' } }], 'changes', 'key');
    await running.change([{ patch: author, documentId: 'ben', set: { name: 'B' }, at }]);
    return { disk, running };
  };
  const { disk: plain, running: first } = await prepared(0);
  const old = digestOf(first);
  const begun = plain.calls;
  await first.replay(next);
  const fresh = digestOf(first);
  const calls = plain.calls - begun;
  expect(calls).toBeGreaterThan(8);
  const outcomes = { old: 0, fresh: 0 };
  for (let call = 0; call < calls; call++) {
    for (const fault of faults) {
      const { disk, running } = await prepared(call);
      disk.faults.set(disk.calls + call, fault);
      const failed = await running.replay(next).then(
        () => false,
        () => true,
      );
      disk.faults.clear();
      const state = `${fault} at call ${call}`;
      // what is served is whole, whatever is on disk
      expect(digestOf(running), state).toBe(failed ? old : fresh);
      if (!disk.stoppedBy) await running.writer.close().catch(() => {});
      const found = await recovered(disk, [before, next]);
      expect(found, state).toHaveLength(1);
      expect(found[0].digest, state).toBe(found[0].index === 0 ? old : fresh);
      if (!failed) expect(found[0].index, state).toBe(1);
      outcomes[found[0].index === 0 ? 'old' : 'fresh']++;
      // changes that were left are on disk before the new journal
      if (found[0].index === 1)
        expect(
          disk.names.some((name) => /^changes\.left-\d+-2\.ndjson$/.test(name)),
          state,
        ).toBe(true);
    }
  }
  expect(outcomes.old).toBeGreaterThan(5);
  expect(outcomes.fresh).toBeGreaterThan(5);
});

test('over equal entries, random changes lead to the same content', { timeout: 120_000 }, async () => {
  const seeds = fc.integer({ min: 1, max: 2 ** 30 });
  const [publicRole, editor] = definitions.roles;
  const property = fc.asyncProperty(new EntrySequences(3), seeds, async (sequence, seed) => {
    const numbers = new SeededRandom(seed);
    const random = new Random({ nextInt: (low: number, high: number) => numbers.integer(low, high) } as fc.Random);
    const disk = newDisk(seed);
    const running = await start(disk, snapshotOf(sequence[0]));
    const ids = (list: readonly Entry[]) => [...new Set(list.map(({ documentId }) => documentId as string))];
    const [given, ...later] = sequence;
    const patches = new RandomPatches(random, {
      authors: ids(given.author),
      articles: ids(given.article),
      files: ids(given.file),
    });
    let taken = 0;
    const send = async (changes: object[]) => {
      const isTaken = await running.change(changes).then(
        () => true,
        () => false,
      );
      if (isTaken) taken += changes.length;
    };
    for (const next of later) await send(next.article.map((entry) => ({ upsert: article, entry, at })));
    for (let i = 0; i < 6; i++) {
      const stored = ids(given.article).flatMap((documentId) => {
        try {
          return read(running, article, documentId);
        } catch {
          return [];
        }
      });
      const entry = random.pick(stored);
      const { documentId, locale, status } = entry;
      await send([{ patch: article, documentId, locale, status, at, ...patches.ofArticle(entry) }]);
    }
    const digest = digestOf(running);
    const next = snapshotOf(sequence[0], [publicRole, { ...editor, permissions: [`${article}.findOne`] }]);
    expect((await running.replay(next)).report).toEqual({ taken, left: null });
    expect(digestOf(running)).toBe(digest);
    await expectKept(disk, running, next);
  });
  await fc.assert(property, { seed: 20261128, numRuns: caseCount(100, 15) });
});
