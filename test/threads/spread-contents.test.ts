// The threads have the contents of the coordinating thread, which compacts for all. They are in this thread here.
import { setImmediate } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { Content } from '../../src/content/content.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { sharedAllocator } from '../../src/core/memory/allocator.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { type Config, configSchema } from '../../src/model/settings/config.ts';
import { DescribedContents } from '../../src/server/threads/described-contents.ts';
import type { EntryChange } from '../../src/server/threads/messages.ts';
import { SpreadContents } from '../../src/server/threads/threaded-server.ts';
import { firstVersion, versionText } from '../../src/store/content-version.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { addressesOf, randomAddresses } from '../live/addresses.ts';
import { findDifference, openFor } from '../live/compare.ts';
import { kinds } from '../live/kinds.ts';
import { completeSnapshot, modelOf } from '../live/model-of-snapshot.ts';
import { randomFrom } from '../live/random-from.ts';
import { writeExport } from '../live/write-export.ts';
import type { Dialect } from '../naive/snapshot.ts';
import { fillContent } from '../property/content.ts';
import { QueryContext } from '../property/query-context.ts';
import { randomSchema } from '../property/schema.ts';
import { caseCount } from '../support/cases.ts';
import { HeldCompaction } from '../support/compact-here.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { jwtSecret } from '../support/jwt.ts';
import { makeChange } from '../support/made-change.ts';

beforeAll(prepareDigests);

const tokens = [{ name: 'everything', sha256: sha256('everything'), type: 'full-access' }];
const configOf = (dialect: Dialect, drafts: boolean) =>
  configSchema.parse({ dialect, drafts, tokens, jwtSecret, tolerance: 'tolerant', budgets: { steps: 1_000_000_000 } });

/** A thread that answers requests. */
class Thread {
  readonly #described: DescribedContents;
  contents!: Contents;
  /** What it was sent, in order. */
  readonly sent: string[] = [];

  constructor(config: Config) {
    const unpack = () => {
      throw new Error('there are no archives');
    };
    this.#described = new DescribedContents({
      config,
      unpack,
      serve: (contents) => (this.contents = contents),
    });
  }

  /** Messages are cloned, but not their shared memory. */
  change(changes: readonly EntryChange[]): Promise<void> {
    this.sent.push(...changes.map(({ kind }) => kind));
    return this.#described.change(structuredClone(changes));
  }

  content(name = 'main'): Content {
    return this.contents.get(name)!.content!;
  }
}

/** The coordinating thread with its contents, and the threads that answer. */
class Process {
  readonly #config: Config;
  readonly threads: Thread[] = [];
  readonly compaction = new HeldCompaction();
  readonly spread = new SpreadContents(async (changes) => {
    await Promise.all(this.threads.map((thread) => thread.change(changes)));
  });
  contents!: Contents;

  constructor(dialect: Dialect = 'document', drafts = false) {
    this.#config = configOf(dialect, drafts);
  }

  async open(source: Parameters<typeof loadSnapshot>[0]): Promise<Content> {
    const { dialect, tolerance } = this.#config;
    const loaded = await loadSnapshot(source, { dialect, tolerance, allocator: sharedAllocator });
    const { compact } = this.compaction;
    const content = new Content(loaded, this.#config, 0, { compactions: { compact, limits: null } });
    this.spread.follow(content);
    return content;
  }

  async serve(content: Content): Promise<void> {
    this.contents = new Contents(entryOf('main', content));
    await this.spread.serve(this.contents);
  }

  /** Starts a thread, or replaces one. */
  async start(number = this.threads.length): Promise<Thread> {
    const thread = new Thread(this.#config);
    this.threads[number] = thread;
    await thread.change(this.spread.entries().map((entry) => ({ kind: 'set', entry })));
    return thread;
  }

  async pin(version: string | null): Promise<void> {
    const entry = this.contents.get('main')!;
    if (version === null) entry.content!.unpin();
    else entry.content!.pin(version);
    await this.contents.pin(entry);
  }

  async apply(batch: Batch, name = 'main'): Promise<void> {
    const entry = this.contents.get(name)!;
    await this.contents.apply(entry, makeChange(entry.content!, batch));
  }
}

const entryOf = (name: string, content: Content) => createEntry({ name, content, error: null, put: null });

test.each<Dialect>(['document', 'strapi'])(
  'every thread answers as fresh content, whenever it starts and the content is compacted, in %s',
  { timeout: 600_000 },
  async (dialect) => {
    const contents = caseCount(8, 2);
    let compacted = 0;
    for (let seed = 1; seed <= contents; seed++) {
      const random = randomFrom(seed);
      const drafts = seed % 2 === 0;
      const snapshot = randomSchema(random);
      fillContent(random, snapshot);
      completeSnapshot(snapshot);
      const model = modelOf(snapshot);
      const process = new Process(dialect, drafts);
      const content = await process.open(writeExport(model));
      await process.serve(content);
      for (let i = 0; i < 2; i++) await process.start();
      const addresses = [
        ...addressesOf(random, model),
        ...randomAddresses(new QueryContext(random, snapshot, dialect), 40),
      ];
      for (let i = 0; i < 14; i++) {
        const [name, draw] = random.pick(Object.entries(kinds));
        const batch = draw(random, model);
        if (!batch) continue;
        model.apply(batch);
        await process.apply(batch);
        if (i % 4 === 1 && !process.compaction.isHeld) {
          process.compaction.hold();
          void content.compact();
        } else if (i % 4 === 3) {
          const ended = content.compact();
          process.compaction.release();
          await ended;
        }
        if (random.chance(30)) await process.start(random.integer(0, 1));
        await setImmediate();
        const fresh = await openFor(writeExport(model), dialect, {}, drafts);
        for (const thread of process.threads) {
          const asked = random.some(addresses, 8, 8);
          const difference = await findDifference(thread.content(), fresh, asked);
          expect({ seed, i, name, difference }).toMatchObject({ difference: null });
          expect(thread.content().version).toBe(content.version);
        }
      }
      compacted += content.history.compactionFigures.counts.finished;
      expect(content.history.compactionFigures.counts.failed).toBe(0);
    }
    expect(compacted).toBeGreaterThan(contents);
  },
);

const things = (title: string) => thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
const titled = (title: string): Batch => ({
  entities: [{ type: 'api::thing.thing', id: 1, data: { documentId: 'one', title } }],
  links: [],
});
const titleOf = (content: Content) => content.findOne('things', 'one').data.title;

/** A process with the content `main` and two threads. */
async function startThings() {
  const process = new Process();
  const content = await process.open(things('main'));
  await process.serve(content);
  const threads = [await process.start(), await process.start()];
  return { process, content, threads };
}

/** Begins a compaction of a content that waits for `release`. Returns its end. */
function beginCompaction({ compaction }: Process, content: Content): Promise<void> {
  compaction.hold();
  return content.compact();
}

test('each compaction is sent once, for the content that it is of', async () => {
  const { process, threads } = await startThings();
  const other = await process.open(things('other'));
  await process.contents.set(entryOf('other', other));
  await process.apply(titled('changed'), 'other');
  const ended = beginCompaction(process, other);
  await process.apply(titled('later'), 'other');
  await process.apply(titled('changed'));
  process.compaction.release();
  await ended;
  await process.apply(titled('last'), 'other');
  for (const thread of threads) {
    expect(thread.sent).toEqual(['set', 'set', 'apply', 'apply', 'apply', 'rebase', 'apply']);
    expect([titleOf(thread.content()), titleOf(thread.content('other'))]).toEqual(['changed', 'last']);
    expect(thread.content('other').version).toBe(other.version);
  }
});

test.each([
  [
    'deleted',
    async ({ contents }: Process, other: Content) => {
      await contents.delete('other');
      await other.close();
    },
  ],
  ['put anew', async (process: Process) => process.contents.set(entryOf('other', await process.open(things('new'))))],
  [
    'loaded again',
    async ({ contents }: Process, other: Content) => {
      const loaded = await loadSnapshot(things('new'), { allocator: sharedAllocator });
      other.history.replace({ ...loaded, version: firstVersion() });
      await contents.update(contents.get('other')!);
    },
  ],
])('a compaction of a content that is %s meanwhile is not sent', async (_, replace) => {
  const { process, threads } = await startThings();
  const other = await process.open(things('other'));
  await process.contents.set(entryOf('other', other));
  await process.apply(titled('changed'), 'other');
  const ended = beginCompaction(process, other);
  await replace(process, other);
  process.compaction.release();
  await ended;
  await setImmediate();
  for (const thread of [...threads, await process.start()]) {
    expect(thread.sent).not.toContain('rebase');
    expect(thread.contents.all.map(({ name }) => name)).toEqual(process.contents.all.map(({ name }) => name));
    const { content } = process.contents.get('other') ?? {};
    if (content) expect(titleOf(thread.content('other'))).toBe('new');
  }
});

test('what a new thread gets does not grow with the number of batches', async () => {
  const { process, content } = await startThings();
  const bytesOf = () =>
    process.spread.entries().map(({ snapshot }) => {
      const { manifest, buffers } = snapshot!.content;
      const documents = JSON.stringify({ ...manifest.documents, version: null });
      return buffers.reduce((sum, { byteLength }) => sum + byteLength, documents.length);
    });
  await process.apply(titled('title 000'));
  const before = bytesOf();
  for (let i = 100; i < 300; i++) await process.apply(titled(`title ${i}`));
  expect(bytesOf()).toEqual(before);
  const thread = await process.start();
  expect([titleOf(thread.content()), thread.content().version]).toEqual(['title 299', content.version]);
});

test('every thread serves the pinned version, whatever comes meanwhile and whenever it starts', async () => {
  const { process, content } = await startThings();
  const served = () => [
    ...new Set([content, ...process.threads.map((thread) => thread.content())].map((each) => seenIn(each))),
  ];
  await process.apply(titled('first'));
  const first = content.version;
  await process.apply(titled('second'));
  const second = content.version;
  await process.pin(first);
  expect(served()).toEqual([`first at ${first}`]);
  await process.apply(titled('third'));
  await process.start();
  expect(served()).toEqual([`first at ${first}`]);
  await content.compact();
  await process.apply(titled('fourth'));
  const ended = beginCompaction(process, content);
  await process.pin(second);
  process.compaction.release();
  await ended;
  await process.start(0);
  expect(served()).toEqual([`second at ${second}`]);
  const loaded = await loadSnapshot(things('loaded'), { allocator: sharedAllocator });
  content.history.replace({ ...loaded, version: firstVersion() });
  await process.contents.update(process.contents.first);
  await process.apply(titled('fifth'));
  await process.start(1);
  expect(served()).toEqual([`second at ${second}`]);
  await process.pin(null);
  expect(served()).toEqual([`fifth at ${versionText(content.history.version)}`]);
  await process.apply(titled('sixth'));
  await process.start(2);
  expect(served()).toEqual([`sixth at ${content.version}`]);
});

const seenIn = (content: Content) => `${titleOf(content)} at ${content.version}`;
