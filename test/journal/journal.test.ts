import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { JournalDamaged, JournalError, JournalFull } from '../../src/changes/journal/errors.ts';
import { type JournalFile, nodeFiles, readRange } from '../../src/changes/journal/file-layer.ts';
import { encodeRecordInSteps, type Transaction } from '../../src/changes/journal/format.ts';
import { imageName } from '../../src/changes/journal/images.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import { describeCut, readRecords } from '../../src/changes/journal/recover.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { temporaryFolder } from '../support/folders.ts';
import { SimulatedDisk, folder as simulatedFolder } from './simulated-disk.ts';

const base = { epoch: 7, version: 'aaaa' };
const parent = temporaryFolder();
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(parent, 'journal-'));
  path = join(folder, 'changes');
});

const open = () => Journal.open(path, { base });
/** Saves the process that the lock takes, for tests that open a journal hundreds of times. */
const withoutLock = { ...nodeFiles, lock: async () => async () => {} };
const transaction = (sequence: number, changes: unknown = `change ${sequence}`): Transaction => ({
  epoch: base.epoch,
  sequence,
  previous: null,
  changes,
});
/** Transactions with these numbers. */
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => transaction(first + i));

/** Opens the journal, closes it and returns what it held. */
async function reopen(files = nodeFiles) {
  const { journal, ...found } = await Journal.open(path, { base, files });
  await journal.close();
  return { ...found, base: journal.base, sequence: journal.sequence };
}

/** The names of the files that keep what was cut off. */
function cutFiles(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('changes.cut-'));
}

/** Makes a journal of one record for each array of transactions. Returns the offset after the header and each record. */
async function write(...records: Transaction[][]): Promise<number[]> {
  const { journal } = await open();
  const ends = [journal.bytes];
  for (const transactions of records) {
    await journal.append(transactions);
    ends.push(journal.bytes);
  }
  await journal.close();
  return ends;
}

/** Writes the image of the base with this sequence beside the journal, and returns the base. */
function makeBase(sequence: number, epoch = base.epoch) {
  const image = imageName(path, { epoch, sequence });
  writeFileSync(join(folder, image), '');
  return { epoch, version: `${epoch}-${sequence}`, sequence, image };
}

describe('open and append', () => {
  test('a new journal is empty and begins with transaction 1', async () => {
    const { journal, transactions, cut } = await open();
    expect({ transactions, cut, sequence: journal.sequence }).toEqual({ transactions: [], cut: null, sequence: 0 });
    expect(journal.base).toEqual({ ...base, sequence: 0, image: null });
    await journal.close();
  });

  test('every value of a transaction is there when the journal is opened again', async () => {
    const changes = [{ '[{"epoch":': 'ü 𝄞 \ud800 \u0000 "\\' }, [], null, -1.5e300];
    const given = { ...transaction(1, changes), previous: '7-0', idempotencyKey: 'key', answer: { status: 200 } };
    await write([given], range(2, 3));
    expect(await reopen()).toMatchObject({ transactions: [given, ...range(2, 3)], cut: null, sequence: 3 });
  });

  test('an append of nothing resolves', async () => {
    const { journal } = await open();
    await journal.append([]);
    await journal.close();
  });

  test.each([
    ['a gap', [transaction(3)], 'appended transaction 7-3, expected 7-2'],
    ['a repetition', [transaction(1)], 'appended transaction 7-1, expected 7-2'],
    ['a gap within an append', [transaction(2), transaction(4)], 'appended transaction 7-4, expected 7-3'],
    ['another epoch', [{ ...transaction(2), epoch: 8 }], 'appended transaction 8-2, expected 7-2'],
  ])('append throws for %s and goes on', async (_, transactions, message) => {
    const { journal } = await open();
    await journal.append(range(1, 1));
    await expect(journal.append(transactions)).rejects.toThrow(message);
    await journal.append(range(2, 2));
    await journal.close();
    expect((await reopen()).sequence).toBe(2);
  });

  test('close writes what was appended, in the order of the calls', async () => {
    const { journal } = await open();
    const large = 'x'.repeat(5 * 2 ** 20);
    const appended = [1, 2, 3, 4].map((sequence) => journal.append([transaction(sequence, large)]));
    await journal.close();
    await Promise.all(appended);
    expect((await reopen()).transactions).toHaveLength(4);
  });

  test('a closed journal throws', async () => {
    const { journal } = await open();
    await journal.close();
    expect(() => journal.append(range(1, 1))).toThrow(`the journal ${path} is closed`);
    expect(() => journal.rotate(makeBase(1), 1)).toThrow('is closed');
    await expect(journal.close()).rejects.toThrow('is closed');
  });
});

describe('incomplete and damaged files', () => {
  test('a journal that is cut at any byte of its last two records loses only incomplete ones', async () => {
    const ends = await write(range(1, 1), range(2, 4), range(5, 5));
    const bytes = readFileSync(path);
    for (let size = ends[1]; size <= bytes.length; size++) {
      writeFileSync(path, bytes.subarray(0, size));
      const kept = size >= ends[3] ? 3 : size >= ends[2] ? 2 : 1;
      const cut = size === ends[kept] ? null : { offset: ends[kept], bytes: size - ends[kept] };
      expect(await reopen(withoutLock)).toMatchObject({ transactions: range(1, [0, 1, 4, 5][kept]), cut });
      expect(readFileSync(path)).toEqual(bytes.subarray(0, ends[kept]));
    }
    expect(cutFiles().length).toBeGreaterThan(0);
  });

  test('a rotated journal that is cut at any byte is refused, or has its base, what is kept and whole records', async () => {
    const { journal } = await open();
    await journal.append(range(1, 2));
    const kept = { keys: ['k1', 'k2'] };
    await journal.rotate(makeBase(2), 2, kept);
    const ends = [journal.bytes];
    for (const transactions of [range(3, 3), range(4, 5)]) {
      await journal.append(transactions);
      ends.push(journal.bytes);
    }
    expect(journal.recordBytes).toBe(ends[2] - ends[0]);
    await journal.close();
    const bytes = readFileSync(path);
    for (let size = 0; size <= bytes.length; size++) {
      writeFileSync(path, bytes.subarray(0, size));
      if (size < ends[0]) {
        await expect(reopen(withoutLock)).rejects.toThrow(/is damaged at byte|is not a journal/);
        expect(readFileSync(path)).toHaveLength(size);
        continue;
      }
      const { journal: again, transactions } = await Journal.open(path, { base, files: withoutLock });
      const last = size === ends[2] ? 5 : size >= ends[1] ? 3 : 2;
      expect([again.base.sequence, again.kept, transactions]).toEqual([2, kept, range(3, last)]);
      await again.close();
    }
  });

  test('a journal goes on after an incomplete record is cut off', async () => {
    const ends = await write(range(1, 2), range(3, 3));
    writeFileSync(path, readFileSync(path).subarray(0, ends[2] - 1));
    const { journal } = await open();
    await journal.append([transaction(3, 'again')]);
    await journal.close();
    expect((await reopen()).transactions).toEqual([...range(1, 2), transaction(3, 'again')]);
  });

  test('zeros and other bytes after the last record are cut off', async () => {
    const [, , end] = await write(range(1, 1), range(2, 2));
    const bytes = readFileSync(path);
    for (const tail of [Buffer.alloc(4096), Buffer.from('[{"epoch":7,"sequence":3}]'), Buffer.alloc(100, 0xff)]) {
      writeFileSync(path, Buffer.concat([bytes, tail]));
      const { sequence, cut } = await reopen();
      expect([sequence, cut]).toMatchObject([2, { offset: end, bytes: tail.length, isWhole: false }]);
      expect(readFileSync(join(folder, cut!.keptIn!))).toEqual(tail);
    }
  });

  test('a changed byte before the last record is reported with its record, one in the last record cuts it off', async () => {
    const ends = await write(range(1, 2), range(3, 3), range(4, 4));
    const bytes = readFileSync(path);
    for (let at = ends[0]; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 0x10;
      writeFileSync(path, changed);
      const record = ends.findLastIndex((end) => end <= at);
      if (record === 2) {
        const { sequence, cut } = await reopen(withoutLock);
        const isWhole = ends[2] + 8 + changed.readUInt32LE(ends[2]) <= changed.length;
        expect([sequence, cut], `byte ${at}`).toMatchObject([3, { offset: ends[2], isWhole }]);
        expect(readFileSync(join(folder, cut!.keptIn!))).toEqual(changed.subarray(ends[2]));
      } else {
        const error = await reopen(withoutLock).catch((thrown) => thrown);
        expect(error).toBeInstanceOf(JournalDamaged);
        expect(error.offset).toBe(ends[record]);
        expect(error.message).toContain(`${path} is damaged at byte ${ends[record]}`);
        expect(error.message).toContain(`a valid one follows at byte ${ends[record + 1]}`);
        expect(readFileSync(path)).toEqual(changed);
      }
    }
  });

  test('what was cut off is named for what it is, and never replaced by other bytes', async () => {
    const ends = await write(range(1, 1), range(2, 2));
    const bytes = readFileSync(path);
    const damaged = Buffer.from(bytes);
    damaged[damaged.length - 5] ^= 1;
    writeFileSync(path, damaged);
    const whole = describeCut((await reopen()).cut!);
    expect(whole).toMatch(
      /^cut 71 bytes .*: a damaged record, whose changes may have been acknowledged\. They are kept/,
    );
    const other = Buffer.from(damaged);
    other[other.length - 6] ^= 1;
    writeFileSync(path, other);
    await reopen();
    writeFileSync(path, bytes.subarray(0, ends[2] - 1));
    const half = describeCut((await reopen()).cut!);
    expect(half).toContain('not written to its end. Its changes were not acknowledged, unless its length is damaged');
    const kept = cutFiles().map((name) => readFileSync(join(folder, name)).toString('hex'));
    const ending = (file: Buffer) => file.subarray(ends[1]).toString('hex');
    expect(kept.sort()).toEqual([damaged, other, bytes.subarray(0, -1)].map(ending).sort());
  });

  test('a full disk keeps no half of a record, but refuses to cut off a whole one', async () => {
    await write(range(1, 1), range(2, 2));
    const bytes = readFileSync(path);
    const full = {
      ...withoutLock,
      open: async (...[name, flags]: Parameters<typeof nodeFiles.open>) => {
        if (flags === 'wx') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        return nodeFiles.open(name, flags);
      },
    };
    const damaged = Buffer.from(bytes);
    damaged[damaged.length - 5] ^= 1;
    writeFileSync(path, damaged);
    await expect(reopen(full)).rejects.toThrow(/the last record .* is damaged and cannot be kept in .*no space left/);
    expect(readFileSync(path)).toEqual(damaged);
    writeFileSync(path, bytes.subarray(0, -1));
    expect(await reopen(full)).toMatchObject({ sequence: 1, cut: { isWhole: false, keptIn: null } });
  });

  test.each([
    ['no JSON', '[{"epoch":7', 'the record is not valid JSON: '],
    ['null', 'null', 'Lectern did not write the record: must be of type array, is null'],
    ['an object', '{}', 'must be of type array'],
    ['a list with null', '[null]', 'Lectern did not write the record: [0]: must be of type object, is null'],
    ['a list of numbers', '[1]', '[0]: must be of type object'],
    ['a transaction without members', '[{}]', '[0].epoch: is required'],
    ['a text as a sequence', '[{"epoch":7,"sequence":"1","previous":null}]', '[0].sequence: must be'],
    [
      'a number as a key',
      '[{"epoch":7,"sequence":1,"previous":null,"changes":0,"idempotencyKey":1}]',
      '[0].idempotencyKey: must be',
    ],
  ])('a record with a right checksum that holds %s is reported', async (_, payload, message) => {
    const [end] = await write();
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32LE(payload.length);
    prefix.writeUInt32LE(crc32(payload, crc32(prefix.subarray(0, 4))), 4);
    const whole = Buffer.concat([readFileSync(path), prefix, Buffer.from(payload)]);
    writeFileSync(path, whole);
    const error = await reopen().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(JournalDamaged);
    expect(error.message).toContain(`${path} is damaged at byte ${end}: `);
    expect(error.message).toContain(message);
    expect(readFileSync(path)).toEqual(whole);
  });

  test.each([
    ['null', null, 'Lectern did not write its header: must be of type object, is null'],
    ['no origin', {}, 'origin: is required'],
    ['no base', { origin: base }, 'base: is required'],
    ['another base', { origin: base, base: { ...base, sequence: 0, image: 3 } }, 'base.image: must be'],
  ])('a header with a right checksum that holds %s is reported', async (_, content, message) => {
    await write();
    const prefix = readFileSync(path).subarray(0, 20);
    const json = Buffer.from(JSON.stringify(content));
    prefix.writeUInt32LE(json.length, 12);
    prefix.writeUInt32LE(crc32(json, crc32(prefix.subarray(0, 16))), 16);
    writeFileSync(path, Buffer.concat([prefix, json]));
    await expect(reopen()).rejects.toThrow(message);
  });

  test('a valid record that follows an invalid one behind 2 GiB is found', () => {
    const start = 2 ** 31;
    const [first, second, third] = range(1, 3).map((one) => runAtOnce(encodeRecordInSteps([one])));
    second[second.length - 5] ^= 1;
    // takes no memory but for the pages that hold records
    const bytes = Buffer.alloc(start + first.length + second.length + third.length);
    bytes.set(Buffer.concat([first, second, third]), start);
    const read = () => readRecords(path, bytes, start, { ...base, sequence: 0, image: null });
    expect(read).toThrow(`a valid one follows at byte ${start + first.length + second.length}`);
  });

  test('a file of more than 2 GiB is read in parts, since a larger read would end the process', async () => {
    const size = 2 ** 31 + 100;
    const parts: [number, number][] = [];
    const read = async (_: Uint8Array, start: number, length: number, position: number) => {
      expect(position).toBe(start + 7);
      parts.push([start, length]);
      return { bytesRead: length };
    };
    expect(await readRange({ read } as JournalFile, 7, size + 7)).toHaveLength(size);
    expect(parts).toEqual([
      [0, 2 ** 30],
      [2 ** 30, 2 ** 30],
      [2 ** 31, 100],
    ]);
  });

  test('a journal that is larger than a buffer can be is refused', async () => {
    await write();
    const size = 2 ** 53 - 1;
    const files = {
      ...withoutLock,
      open: async (...values: Parameters<typeof nodeFiles.open>) =>
        Object.assign(await nodeFiles.open(...values), { stat: async () => ({ size }) }),
    };
    const opened = Journal.open(path, { base, files });
    await expect(opened).rejects.toThrow(`the journal ${path} has ${size} bytes, and a buffer cannot hold that many`);
  });

  test('a changed byte of the header is reported', async () => {
    const [end] = await write(range(1, 1));
    const bytes = readFileSync(path);
    for (let at = 0; at < end; at++) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1;
      writeFileSync(path, changed);
      await expect(reopen(withoutLock)).rejects.toThrow(JournalError);
    }
  });

  test('a transaction that does not follow the one before is reported', async () => {
    const [, end] = await write(range(1, 1));
    const record = runAtOnce(encodeRecordInSteps([transaction(3)]));
    writeFileSync(path, Buffer.concat([readFileSync(path), record]));
    const message = `damaged at byte ${end}: it holds the transaction 7-3, and 7-2 was expected`;
    await expect(open()).rejects.toThrow(message);
  });

  test('a transaction that applies to other content than the one before leads to is reported', async () => {
    const lead = (sequence: number, before: string, after: string) => ({
      ...transaction(sequence),
      digests: { before, after },
    });
    const [, end] = await write([lead(1, base.version, 'one')]);
    const follow = (before: string) => {
      const record = runAtOnce(encodeRecordInSteps([lead(2, before, 'two')]));
      writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, end), record]));
      return open();
    };
    await expect(follow('other')).rejects.toThrow(
      `damaged at byte ${end}: the transaction 7-2 applies to the content other, and the one before leads to one`,
    );
    expect((await follow('one')).transactions).toHaveLength(2);
  });

  test.each([
    ['an empty file', Buffer.alloc(0), 'is not a journal'],
    ['another file', Buffer.from('{"snapshot": 1}'), 'is not a journal'],
    ['a file that ends in its header', Buffer.from('\x89LECTRJ\n\x01\0', 'latin1'), 'it ends in its header'],
  ])('%s is refused', async (_, bytes, message) => {
    writeFileSync(path, bytes);
    await expect(open()).rejects.toThrow(message);
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('a journal of a newer format is refused', async () => {
    await write();
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(2, 8);
    writeFileSync(path, bytes);
    await expect(open()).rejects.toThrow('has the format 2, and this version of Lectern reads up to 1');
  });
});

describe('the base', () => {
  test('a journal of another content is refused, and the message names both', async () => {
    await write();
    const other = Journal.open(path, { base: { epoch: 7, version: 'bbbb' } });
    const both = `${path} belongs to version aaaa of epoch 7. The content to serve has version bbbb`;
    await expect(other).rejects.toThrow(both);
    expect((await reopen()).base.version).toBe('aaaa');
  });

  test('a rotated journal has the later transactions, its image, and opens with the old and the new content', async () => {
    const { journal } = await open();
    await journal.append(range(1, 2));
    await journal.rotate(makeBase(2), 2);
    await journal.append(range(3, 5));
    const next = makeBase(4);
    await journal.rotate(next, 4);
    expect(journal.base).toEqual(next);
    expect(readdirSync(folder).sort()).toEqual(['changes', 'changes.7-4.image', 'changes.lock']);
    await journal.append(range(6, 6));
    await journal.close();
    for (const given of [base, next]) {
      const { journal: again, transactions } = await Journal.open(path, { base: given });
      expect({ base: again.base, transactions }).toEqual({ base: next, transactions: range(5, 6) });
      await again.close();
    }
    const other = Journal.open(path, { base: { epoch: 1, version: 'x' } });
    await expect(other).rejects.toThrow('belongs to version 7-4 of epoch 7, which began as version aaaa of epoch 7.');
  });

  test('a rotated journal belongs to the content that its last rotation was given', async () => {
    const { journal } = await open();
    await journal.append(range(1, 2));
    const next = makeBase(1);
    await journal.rotate(next, 1);
    await journal.close();
    // the next start is given the content of the image
    const { journal: again } = await Journal.open(path, { base: next });
    await again.rotate(makeBase(2), 2);
    await again.close();
    const last = await Journal.open(path, { base: next });
    expect(last.transactions).toEqual([]);
    await last.journal.close();
    await expect(open()).rejects.toThrow('belongs to version 7-2 of epoch 7, which began as version 7-1');
  });

  test('a new epoch begins with its own content and sequence', async () => {
    const { journal } = await open();
    await journal.append(range(1, 2));
    const next = { epoch: 8, version: 'bbbb', sequence: 0, image: null };
    await journal.rotate(next, 2);
    await journal.append([{ ...transaction(1), epoch: 8 }]);
    await journal.close();
    await expect(open()).rejects.toThrow('belongs to version bbbb of epoch 8');
    const { journal: again, transactions } = await Journal.open(path, { base: next });
    expect(transactions).toEqual([{ ...transaction(1), epoch: 8 }]);
    await again.close();
  });

  test('a new epoch does not begin while transactions of the old one wait', async () => {
    const { journal } = await open();
    const large = 'x'.repeat(9 * 2 ** 20);
    const appended = [journal.append([transaction(1, large)]), journal.append([transaction(2, large)])];
    const rotated = journal.rotate({ epoch: 8, version: 'bbbb', sequence: 0, image: null }, 1);
    await expect(rotated).rejects.toThrow('cannot rotate to 8-0 after transaction 1');
    await Promise.all(appended);
    await journal.close();
  });

  test('an append to the old epoch is rejected if a new one begins before it is written', async () => {
    const { journal } = await open();
    const next = { epoch: 8, version: 'bbbb', sequence: 0, image: null };
    const rotated = journal.rotate(next, 0);
    // the rotation has begun after this
    await new Promise(setImmediate);
    const appended = journal.append(range(1, 1));
    await expect(appended).rejects.toThrow('appended transaction 7-1, expected 8-1');
    await rotated;
    await journal.append([{ ...transaction(1), epoch: 8 }]);
    await journal.close();
  });

  test('a record that was damaged on disk is not copied by a rotation', async () => {
    const { journal } = await open();
    await journal.append(range(1, 1));
    const start = journal.bytes;
    await journal.append(range(2, 2));
    const bytes = readFileSync(path);
    bytes[bytes.length - 5] ^= 1;
    writeFileSync(path, bytes);
    await expect(journal.rotate(makeBase(1), 1)).rejects.toThrow(`${path} is damaged at byte ${start}`);
    expect(readFileSync(path)).toEqual(bytes);
    await journal.close();
  });

  test.each([
    ['before the base', makePlain(1), 1, 'cannot rotate to 7-1 after transaction 1'],
    ['after the last transaction', makePlain(5), 5, 'holds transactions 3 to 4'],
    ['of another sequence than its last transaction', makePlain(4), 3, 'cannot rotate to 7-4 after transaction 3'],
    ['without an image', { ...makePlain(3), image: null }, 3, 'the image of the new base is null'],
    ['with another image', { ...makePlain(3), image: '../x' }, 3, 'expected changes.7-3.image'],
    ['with a missing image', makePlain(3), 3, 'the image changes.7-3.image is missing'],
    ['of an epoch that loses transactions', { ...makePlain(0), epoch: 8 }, 3, 'cannot rotate to 8-0'],
  ])('a base %s is refused, and the journal goes on', async (_, next, after, message) => {
    const { journal } = await open();
    await journal.append(range(1, 4));
    await journal.rotate(makeBase(2), 2);
    await expect(journal.rotate(next, after)).rejects.toThrow(message);
    await journal.append(range(5, 5));
    await journal.close();
    expect((await reopen()).transactions).toEqual(range(3, 5));
  });

  function makePlain(sequence: number) {
    return { epoch: 7, version: 'next', sequence, image: `changes.7-${sequence}.image` };
  }

  test('what a crash left is removed, and nothing else', async () => {
    await write(range(1, 1));
    makeBase(1);
    const uuid = '01234567-89ab-cdef-0123-456789abcdef';
    const leftovers = [`.changes.12-${uuid}`, `.changes.7-1.image.12-${uuid}`];
    const others = ['changes.image', 'other.7-1.image', `.other.12-${uuid}`, 'changes.7-1.image.gz', '.changes.swp'];
    for (const name of [...leftovers, ...others]) writeFileSync(join(folder, name), '');
    await reopen();
    expect(readdirSync(folder).sort()).toEqual(['changes', 'changes.lock', ...others].sort());
  });

  test('no image is removed after a rotation of which nobody knows whether it is in place', async () => {
    let isUnknown = false;
    const rename: typeof nodeFiles.rename = async (from, to) => {
      await nodeFiles.rename(from, to);
      if (isUnknown) throw new Error('an error after the rename');
    };
    const { journal } = await Journal.open(path, { base, files: { ...nodeFiles, rename } });
    await journal.append(range(1, 1));
    isUnknown = true;
    await expect(journal.rotate(makeBase(1), 1)).rejects.toThrow('an error after the rename');
    await journal.removeLeftovers();
    await journal.close();
    expect((await reopen()).base).toMatchObject({ sequence: 1, image: 'changes.7-1.image' });
  });

  test('a missing image and a missing journal are reported', async () => {
    const { journal } = await open();
    await journal.append(range(1, 1));
    await journal.rotate(makeBase(1), 1);
    await journal.close();
    await nodeFiles.rename(path, `${path}.old`);
    await expect(open()).rejects.toThrow('is missing, but its image changes.7-1.image is there');
    await nodeFiles.rename(`${path}.old`, path);
    await nodeFiles.rm(join(folder, 'changes.7-1.image'), { force: true });
    await expect(open()).rejects.toThrow('it belongs to the image changes.7-1.image, which is missing');
  });
});

describe('failing writes', () => {
  /** Opens a journal on a simulated disk and appends one transaction. */
  async function openSimulated() {
    const disk = new SimulatedDisk(new Random(1));
    const { journal } = await Journal.open(`${simulatedFolder}/changes`, { base, files: disk.files });
    await journal.append(range(1, 1));
    const append = (sequence: number) => journal.append(range(sequence, sequence)).catch((error) => error);
    return { disk, journal, append };
  }

  test('a full disk rejects appends until there is room', async () => {
    const { disk, journal, append } = await openSimulated();
    const { bytes } = journal;
    disk.faults.set(disk.calls, 'ENOSPC');
    const [first, second] = await Promise.all([append(2), append(3)]);
    expect(first).toBeInstanceOf(JournalFull);
    expect(second.message).toBe('appended transaction 7-3, expected 7-2');
    expect(first).toMatchObject({ mayBeKept: false, cause: { code: 'ENOSPC' } });
    expect(disk.read('changes')).toHaveLength(bytes);
    expect(await append(2)).toBeUndefined();
    expect(journal.sequence).toBe(2);
  });

  test('a failed sync ends appending, also on a full disk', async () => {
    for (const fault of ['EIO', 'ENOSPC'] as const) {
      const { disk, journal, append } = await openSimulated();
      disk.faults.set(disk.calls + 1, fault);
      const error = await append(2);
      expect(error).toBeInstanceOf(JournalError);
      expect(error).not.toBeInstanceOf(JournalFull);
      expect(error.message).toContain('The transactions are not kept');
      expect((await append(2)).message).toContain('accepts no more until it is opened again, since it failed');
      await expect(journal.rotate({ ...journal.base, sequence: 1 }, 1)).rejects.toThrow('accepts no more');
      await journal.close();
    }
  });

  test('an append that cannot be cut off may be kept, those that wait behind it are not', async () => {
    const { disk, journal, append } = await openSimulated();
    disk.faults.set(disk.calls + 1, 'EIO').set(disk.calls + 2, 'EIO');
    const large = journal.append([transaction(2, 'x'.repeat(2 ** 23))]);
    const waiting = append(3);
    await expect(large).rejects.toMatchObject({ mayBeKept: true });
    expect(await waiting).toMatchObject({ mayBeKept: false });
  });

  test('a full disk rejects a rotation, removes its image, and the journal goes on', async () => {
    const { disk, journal, append } = await openSimulated();
    const image = imageName('changes', { epoch: 7, sequence: 1 });
    await (await disk.files.open(`${simulatedFolder}/${image}`, 'wx')).close();
    disk.faults.set(disk.calls + 3, 'ENOSPC');
    const rotated = journal.rotate({ epoch: 7, version: 'next', sequence: 1, image }, 1);
    await expect(rotated).rejects.toThrow(JournalFull);
    expect(disk.names).toEqual(['changes']);
    expect(await append(2)).toBeUndefined();
  });
});
