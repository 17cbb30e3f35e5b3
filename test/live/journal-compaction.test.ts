/** A large journal becomes an image of the content and the changes since, and nothing that was answered is lost. */
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Compact } from '../../src/changes/compact/compact-in-thread.ts';
import { JournalError } from '../../src/changes/journal/errors.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import type { Content } from '../../src/content/content.ts';
import type { ChangeAnswer } from '../../src/content/live/change-request.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import type { JournalCompactionParts } from '../../src/content/live/compact-served-journal.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { hasChanges } from '../../src/store/segment.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { HeldCompaction } from '../support/compact-here.ts';
import { thingSnapshot } from '../support/guide.ts';
import { journalPath, newDisk, openJournaled, writeOn } from '../support/journaled.ts';
import { loadShared } from '../support/open-shared.ts';

const things = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'd0', title: 'given' }]);
const otherThings = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'x', title: 'other' }]);
const thing = 'api::thing.thing';

interface Running {
  readonly content: Content;
  readonly changes: ChangeWriter;
  /** Sets the title of a document, with a key. */
  change(documentId: string, title: string, key?: string): Promise<{ version: string; sequence: number }>;
}

/** Opens the things with the journal of a disk. */
async function start(disk: SimulatedDisk, parts: JournalCompactionParts = {}, compact?: Compact): Promise<Running> {
  const { content, opened } = await openJournaled(disk, things, undefined, compact);
  const all = { limit: Number.POSITIVE_INFINITY, write: writeOn(disk.files), ...parts };
  const changes = new ChangeWriter(content, async () => {}, opened, all);
  const change = (documentId: string, title: string, key = `key of ${documentId} ${title}`) => {
    const given = [{ upsert: thing, entry: { documentId, title } }];
    const digest = `${documentId} ${title}`;
    return changes.change({ previous: null, form: 'changes', given }, { key, digest });
  };
  return { content, changes, change };
}

function titles(content: Content): string[] {
  const { data } = content.find('things', { sort: 'id' });
  return (data as { documentId: string; title: string }[]).map(({ documentId, title }) => `${documentId} ${title}`);
}

const compactionsOf = ({ changes }: Running) => changes.figures.journal!.compactions;

/** Waits until that many compactions have ended. */
async function ended(running: Running, count = 1): Promise<void> {
  const total = () => Object.values(compactionsOf(running).counts).reduce((sum, each) => sum + each, 0);
  while (total() < count) await setImmediate();
}

/** Kills the process, and starts it again. */
async function restart(disk: SimulatedDisk, parts?: JournalCompactionParts): Promise<Running> {
  disk.stoppedBy = 'killed';
  disk.restart();
  return start(disk, parts);
}

const images = (disk: SimulatedDisk) => disk.names.filter((name) => name.endsWith('.image'));

/** A function that writes images when it is released. */
function heldWrite(disk: SimulatedDisk) {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const write: JournalCompactionParts['write'] = async (...given) => {
    await held;
    return writeOn(disk.files)(...given);
  };
  return { write, release };
}

describe('a journal that is too large', () => {
  test('is compacted while changes go on, which it keeps', async () => {
    const disk = newDisk();
    const held = heldWrite(disk);
    const running = await start(disk, { limit: 1, write: held.write });
    const first = await running.change('d1', 'one');
    await running.change('d2', 'two');
    await running.change('d1', 'changed');
    const last = await running.change('d3', 'three');
    held.release();
    await ended(running);
    expect(compactionsOf(running)).toMatchObject({ counts: { finished: 1, failed: 0 }, failure: null });
    const [epoch] = last.version.split('-');
    expect(images(disk)).toEqual([`${basename(journalPath)}.${epoch}-1.image`]);

    const again = await restart(disk);
    expect(titles(again.content)).toEqual(titles(running.content));
    expect(titles(again.content)).toEqual(['d0 given', 'd1 changed', 'd2 two', 'd3 three']);
    expect(again.content.version).toBe(last.version);
    expect(again.content.summary.version).toBe(running.content.summary.version);
    // of the image, and of a change since
    expect(await again.change('d1', 'one')).toEqual(first);
    expect(await again.change('d3', 'three')).toEqual(last);
    await expect(again.change('d1', 'other', 'key of d1 one')).rejects.toThrow('was sent with another body');
    expect((await again.change('d1', 'again')).version).toBe(`${epoch}-5`);
  });

  test('is compacted again and again, and only its last image stays', async () => {
    const disk = newDisk();
    let running = await start(disk, { limit: 1 });
    for (let round = 1; round <= 3; round++) {
      await running.change('d1', `round ${round}`);
      await ended(running, 1);
      expect(images(disk)).toEqual([expect.stringMatching(new RegExp(`-${round}\\.image$`))]);
      running = await restart(disk, { limit: 1 });
      expect(titles(running.content)).toEqual(['d0 given', `d1 round ${round}`]);
    }
    expect((await running.change('d1', 'round 1')).sequence).toBe(1);
  });

  test('is compacted at the start, and keys do not count', async () => {
    const disk = newDisk();
    const first = await start(disk);
    for (let i = 0; i < 5; i++) await first.change('d1', `title ${i}`);
    const running = await restart(disk, { limit: 100 });
    await ended(running);
    expect(compactionsOf(running).counts.finished).toBe(1);
    expect(running.changes.figures.journal!.bytes).toBeGreaterThan(500);
    const again = await restart(disk, { limit: 100 });
    await setImmediate();
    expect(compactionsOf(again).counts).toEqual({ finished: 0, abandoned: 0, failed: 0 });
    expect(titles(again.content)).toEqual(['d0 given', 'd1 title 4']);
  });

  test('is compacted to the version that changes are made to, whichever is pinned', async () => {
    const disk = newDisk();
    const held = heldWrite(disk);
    const running = await start(disk, { limit: 1, write: held.write });
    const { version } = running.content;
    running.content.pin(version);
    await running.change('d1', 'one');
    held.release();
    await ended(running);
    expect(running.content.version).toBe(version);
    expect(images(disk)).toEqual([expect.stringMatching(/-1\.image$/)]);
    expect(titles((await restart(disk)).content)).toEqual(['d0 given', 'd1 one']);
  });

  test('takes over the store of a compaction of the content, for which it waits', async () => {
    const disk = newDisk();
    const held = new HeldCompaction();
    const written: boolean[] = [];
    const write: JournalCompactionParts['write'] = (path, loaded, ...rest) => {
      written.push(loaded.store.segments.some(hasChanges));
      return writeOn(disk.files)(path, loaded, ...rest);
    };
    const running = await start(disk, { limit: 1, write }, held.compact);
    for (const title of ['one', 'two']) {
      held.hold();
      const compacted = running.content.compact();
      await running.change('d1', title);
      expect(written).toEqual([]);
      held.release();
      await compacted;
    }
    await ended(running);
    expect(written).toEqual([false]);
    expect(images(disk)).toEqual([expect.stringMatching(/-1\.image$/)]);
    disk.stoppedBy = 'killed';
    disk.restart();
    const { content, opened } = await openJournaled(disk, things);
    expect(titles(content)).toEqual(['d0 given', 'd1 two']);
    // a key without its change would answer for a change that is lost
    const { answered } = opened.journal.kept as { answered: { answer: ChangeAnswer }[] };
    expect(answered.map(({ answer }) => answer.sequence)).toEqual([1]);
    expect(opened.answered.map(({ answer }) => answer.sequence)).toEqual([1, 2]);
  });

  test('is too large with many small batches', async () => {
    const disk = newDisk();
    const running = await start(disk, { batches: 3 });
    for (const title of ['one', 'two', 'three', 'four']) await running.change('d1', title);
    await ended(running);
    expect(images(disk)).toEqual([expect.stringMatching(/-3\.image$/)]);
  });

  test('goes on if the image cannot be written, and is compacted after a while', async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error) => warnings.push(message);
    process.on('warning', listen);
    const disk = newDisk();
    let now = 0;
    const failing = { isFull: true };
    const write: JournalCompactionParts['write'] = async (...given) => {
      if (failing.isFull) disk.faults.set(disk.calls + 5, 'ENOSPC');
      return writeOn(disk.files)(...given);
    };
    const running = await start(disk, { limit: 1, write, now: () => now });
    const changeAt = async (milliseconds: number, title: string) => {
      now = milliseconds;
      await running.change('d1', title);
      while (disk.names.some((name) => name.startsWith('.'))) await setImmediate();
      await setImmediate();
    };
    await changeAt(0, 'a');
    await ended(running);
    expect(compactionsOf(running)).toMatchObject({ counts: { failed: 1 }, failure: expect.stringContaining('ENOSPC') });
    expect(disk.names.sort()).toEqual(['changes']);
    await changeAt(59_999, 'b');
    await changeAt(60_001, 'c');
    await ended(running, 2);
    // twice as long after the second failure
    await changeAt(179_000, 'd');
    expect(compactionsOf(running).counts.failed).toBe(2);
    failing.isFull = false;
    await changeAt(181_000, 'e');
    await ended(running, 3);
    expect(compactionsOf(running)).toMatchObject({ counts: { finished: 1, failed: 2 }, failure: null });
    await setImmediate();
    process.off('warning', listen);
    expect(warnings).toEqual(Array(2).fill(expect.stringMatching(/^The journal is not compacted: ENOSPC/)));
    expect(titles((await restart(disk)).content)).toEqual(['d0 given', 'd1 e']);
  });
});

describe('a compaction is abandoned', () => {
  test('when other content begins the journal anew', async () => {
    const disk = newDisk();
    const held = heldWrite(disk);
    const running = await start(disk, { limit: 1, write: held.write });
    const first = await running.change('d1', 'one');
    const other = await loadShared(otherThings);
    expect(await running.changes.reload(other, { started: 0, changes: 'discard' })).toBe(true);
    held.release();
    await ended(running);
    expect(compactionsOf(running).counts).toEqual({ finished: 0, abandoned: 1, failed: 0 });
    await running.changes.close();
    expect(disk.names).toEqual(['changes']);
    expect(titles(running.content)).toEqual(['x other']);
    // the key is one of the last 10,000
    disk.restart();
    const { opened } = await openJournaled(disk, otherThings);
    expect(opened.answered).toMatchObject([{ answer: first }]);
  });

  test('when the server stops', async () => {
    const disk = newDisk();
    const held = heldWrite(disk);
    const running = await start(disk, { limit: 1, write: held.write });
    await running.change('d1', 'one');
    const closed = running.changes.close();
    held.release();
    await closed;
    expect(disk.names).toEqual(['changes']);
    expect(titles((await start(disk)).content)).toEqual(['d0 given', 'd1 one']);
  });
});

test.each([
  ['changes that are null', { changes: null }, 'cannot apply'],
  ['changes that are a text', { changes: 'x' }, 'cannot apply'],
  ['changes without lists', { changes: {} }, 'cannot apply'],
  ['an answer that is missing', { idempotencyKey: 'k' }, 'the answer of transaction 1: is required'],
  [
    'an answer that is null',
    { idempotencyKey: 'k', answer: null },
    'the answer of transaction 1: must be of type object',
  ],
  ['an answer without its digest', { idempotencyKey: 'k', answer: { answer: {} } }, 'digest: is required'],
  [
    'an answer that is a text',
    { idempotencyKey: 'k', answer: { digest: 'd', answer: 'x' } },
    'answer: must be an answer',
  ],
])('a journal with a right checksum that holds %s is refused', async (_, part, message) => {
  const disk = newDisk();
  const { opened } = await openJournaled(disk, things);
  await opened.journal.close();
  const base = { epoch: opened.journal.base.epoch, version: opened.journal.base.version };
  const { journal } = await Journal.open(journalPath, { base, files: disk.files });
  await journal.append([{ epoch: base.epoch, sequence: 1, previous: null, changes: null, ...part }]);
  await journal.close();
  const error = await openJournaled(disk, things).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(JournalError);
  expect(error.message).toContain(journalPath);
  expect(error.message).toContain(message);
});

test('a change that leads to other content than before is refused', async () => {
  const disk = newDisk();
  const { opened } = await openJournaled(disk, things);
  await opened.journal.close();
  const { epoch, version } = opened.journal.base;
  const { journal } = await Journal.open(journalPath, { base: { epoch, version }, files: disk.files });
  const changes = { entities: [], links: [] };
  const digests = { before: version, after: 'other' };
  await journal.append([{ epoch, sequence: 1, digests, previous: null, changes }]);
  await journal.close();
  await expect(openJournaled(disk, things)).rejects.toThrow(
    `${epoch}-1 of the journal ${journalPath} leads to the content ${version}, and led to other`,
  );
});

test('answers that a journal keeps with its base are checked', async () => {
  const disk = newDisk();
  const { opened } = await openJournaled(disk, things);
  await opened.journal.close();
  const { epoch, version } = opened.journal.base;
  const { journal } = await Journal.open(journalPath, { base: { epoch, version }, files: disk.files });
  await journal.rotate({ epoch: epoch + 1, version, sequence: 0, image: null }, 0, { answered: [null] });
  await journal.close();
  await expect(openJournaled(disk, things)).rejects.toThrow('what it keeps with its base: answered[0]: must be');
});

describe('a journal with an image', () => {
  /** A disk whose journal has an image with one change, and one change after it. */
  async function compactedDisk(): Promise<SimulatedDisk> {
    const disk = newDisk();
    const running = await start(disk, { limit: 100 });
    await running.change('d1', 'one');
    await ended(running);
    await running.changes.close();
    const later = await start(disk);
    await later.change('d2', 'two');
    await later.changes.close();
    return disk;
  }

  test('belongs to the snapshot with which it began, at a start and at a reload', async () => {
    const disk = await compactedDisk();
    await expect(openJournaled(disk, otherThings)).rejects.toThrow(/belongs to version .* which began as version/);
    const { content, changes } = await start(disk);
    const reload = async (snapshot: JsonSnapshot) => changes.reload(await loadShared(snapshot), { started: 0 });
    expect(await reload(things)).toBe(false);
    await expect(reload(otherThings)).rejects.toThrow('the snapshot has changed');
    expect(titles(content)).toEqual(['d0 given', 'd1 one', 'd2 two']);
  });

  test('is refused with other roles, which the image would hide', async () => {
    const disk = await compactedDisk();
    const roles = [{ type: 'public', permissions: [] }];
    const withoutPermissions = { ...things, roles } as unknown as JsonSnapshot;
    await expect(openJournaled(disk, withoutPermissions)).rejects.toThrow('belongs to version');
    const { changes } = await start(disk);
    const reload = changes.reload(await loadShared(withoutPermissions), { started: 0 });
    await expect(reload).rejects.toThrow('the snapshot has changed');
  });

  test('may be given the content of its image as the snapshot, from then on', async () => {
    const disk = await compactedDisk();
    const equal = thingSnapshot({ title: { type: 'string' } }, [
      { documentId: 'd0', title: 'given' },
      { documentId: 'd1', title: 'one' },
    ]);
    const { content, opened } = await openJournaled(disk, equal);
    expect(titles(content)).toEqual(['d0 given', 'd1 one', 'd2 two']);
    const changes = new ChangeWriter(content, async () => {}, opened, { limit: 1, write: writeOn(disk.files) });
    await ended({ changes } as Running);
    await changes.close();
    expect(titles((await openJournaled(disk, equal)).content)).toEqual(['d0 given', 'd1 one', 'd2 two']);
    disk.restart();
    await expect(openJournaled(disk, things)).rejects.toThrow('belongs to version');
  });

  test('does not open with a damaged image, or in a dialect that the image does not fit', async () => {
    const disk = await compactedDisk();
    const [image] = images(disk);
    const bytes = disk.bytes(image);
    bytes[bytes.length - 1] ^= 1;
    const message = (what: string) =>
      new RegExp(
        `^the image of the journal /disk/changes does not load: ${what}. Start with the settings dialect, database and users of the last start`,
      );
    const opened = openJournaled(disk, things);
    await expect(opened).rejects.toThrow(
      message('\\S+: the image is damaged: the CRC-32 of its section \\S+ does not match'),
    );
    await expect(opened).rejects.toBeInstanceOf(JournalError);
    bytes[bytes.length - 1] ^= 1;
    disk.restart();

    const mediaUrl = 'https://files.example.org';
    const other = newDisk();
    const { content, opened: journal } = await openJournaled(other, things, { public: true, mediaUrl });
    const changes = new ChangeWriter(content, async () => {}, journal, { limit: 1, write: writeOn(other.files) });
    const given = [{ upsert: thing, entry: { documentId: 'd1', title: 'one' } }];
    await changes.change({ previous: null, form: 'changes', given }, null);
    await ended({ changes } as Running);
    await changes.close();
    const strapi = openJournaled(other, things, { public: true, mediaUrl, dialect: 'strapi' });
    await expect(strapi).rejects.toThrow(
      message('\\S+: an image of the dialect document with a mediaUrl cannot be opened in the dialect strapi'),
    );
  });

  test('opens in the other dialect, and with the settings of this start', async () => {
    const disk = await compactedDisk();
    const { content } = await openJournaled(disk, things, { public: true, dialect: 'strapi' });
    expect(content.summary.dialect).toBe('strapi');
    expect(titles(content)).toEqual(['d0 given', 'd1 one', 'd2 two']);
    disk.restart();
    const again = await openJournaled(disk, things, { public: true, tolerance: 'strict' });
    expect(again.content.summary.dialect).toBe('document');
  });
});
