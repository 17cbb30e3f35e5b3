/** What every driver of a publication does. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { OpenedPublication } from '../../src/publication/open-publication.ts';
import { type Head, type Publication, PublicationError } from '../../src/publication/publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/sha256.ts';
import { waitFor } from '../support/wait.ts';
import { changeAt, changesBetween, headAt, imageAt, stateAt } from './contents.ts';
import { writeVersions } from './write-versions.ts';

/** What tests do to a publication behind the back of its driver. */
export interface DriverUnderTest {
  open(name: string): Promise<OpenedPublication>;
  /** Replaces the head by other JSON, or by null. */
  writeHead(name: string, head: object | null): Promise<void>;
  /** The versions of the changes that are stored, in order. */
  storedChanges(name: string): Promise<string[]>;
  /** Removes a change. */
  loseChange(name: string, version: string): Promise<void>;
  /** Makes a change unreadable. */
  damageChange(name: string, version: string): Promise<void>;
}

export function testDriver(title: string, driver: DriverUnderTest): void {
  const opened: OpenedPublication[] = [];
  const open = async (name = `name-${randomUUID()}`) => {
    const each = await driver.open(name);
    opened.push(each);
    return { name, ...each };
  };
  afterAll(async () => {
    for (const each of opened) await each.close();
  });
  /** Opens a publication whose log has a number of changes after an image of the sequence 0. */
  const publish = async (count: number) => {
    const each = await open();
    await each.publication.appendIf(null, headAt(0));
    if (count > 0) await each.publication.appendIf(stateAt(0), headAt(count), changesBetween(1, count));
    return each;
  };
  const read = (publication: Publication, sequence: number, wait = 0) =>
    publication.readFrom(stateAt(sequence), { wait });

  describe(`${title}: head`, () => {
    test('is null before the first append, and then what was appended', async () => {
      const { publication, name } = await open();
      expect(await publication.readHead()).toBeNull();
      expect(await read(publication, 0)).toEqual({ head: null, changes: [] });
      const head: Head = {
        ...headAt(4, { imageSequence: 4, pinned: imageAt(2), settings: 'ä "quoted"\n', source: 'x' }),
        access: { apiTokens: [{ name: 'one', sha256: 'a' }], emailConfirmation: true },
      };
      expect(await publication.appendIf(null, head)).toBeNull();
      expect(await publication.readHead()).toEqual(head);
      expect(await (await open(name)).publication.readHead()).toEqual(head);
    });

    test('of one name is not that of another', async () => {
      const first = await publish(1);
      const second = await open();
      expect(await second.publication.readHead()).toBeNull();
      await second.publication.appendIf(null, headAt(7, { imageSequence: 7 }));
      expect((await first.publication.readHead())?.sequence).toBe(1);
    });

    test('that another program wrote is refused, with its place and the field', async () => {
      const { publication, name } = await publish(1);
      await driver.writeHead(name, { ...headAt(1), image: { ...imageAt(0), bytes: -1 } });
      const append = () => publication.appendIf(stateAt(1), headAt(2), [changeAt(2)]);
      const begin = () => publication.appendIf(null, headAt(0));
      const calls = [() => publication.readHead(), () => read(publication, 0), append, begin, () => driver.open(name)];
      for (const call of calls) {
        const error = await call().catch((thrown) => thrown);
        expect(error).toBeInstanceOf(PublicationError);
        expect(error.message).toMatch(/head.*image\.bytes: must be at least 0, is -1/);
        expect(error.message).toContain(name);
        expect(error.outcome).toBe('none');
      }
      expect(await driver.storedChanges(name)).toEqual(['1-1']);
      // valid JSON that this publisher has not written
      await driver.writeHead(name, { ...headAt(1), settings: 'other' });
      expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2)])).toBeNull();
      expect(await publication.readHead()).toEqual(headAt(2));
    });

    test('of a newer format is refused, and fields that are not known are ignored', async () => {
      const { publication, name } = await publish(1);
      await driver.writeHead(name, { ...headAt(1), format: 2 });
      await expect(publication.readHead()).rejects.toThrow(/written by a newer version/);
      await driver.writeHead(name, { ...headAt(1), later: true });
      expect(await publication.readHead()).toEqual(headAt(1));
    });
  });

  describe(`${title}: append`, () => {
    test('is refused with the present head if another state is expected', async () => {
      const { publication, name } = await publish(2);
      const head = headAt(2);
      const expected = [null, stateAt(1), stateAt(3), { ...stateAt(2), digest: 'other' }, stateAt(2, 7)];
      for (const each of expected) {
        const start = each?.epoch === 1 ? each : null;
        const next = start
          ? headAt(start.sequence + 1)
          : headAt(9, { epoch: 8, imageSequence: 9, settings: 'of the refused' });
        const changes = start
          ? [{ ...changeAt(start.sequence + 1), digests: { before: start.digest, after: next.digest } }]
          : [];
        expect(await publication.appendIf(each, next, changes)).toEqual({ head });
      }
      expect(await publication.readHead()).toEqual(head);
      expect(await driver.storedChanges(name)).toEqual(['1-1', '1-2']);
    });

    test('is refused with null where nothing is published', async () => {
      const { publication, name } = await open();
      expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2)])).toEqual({ head: null });
      expect(await driver.storedChanges(name)).toEqual([]);
    });

    test('of changes that do not lead to the head fails', async () => {
      const { publication } = await publish(2);
      const forked = { ...changeAt(3), digests: { before: 'other', after: stateAt(3).digest } };
      const cases = [
        [stateAt(2), headAt(3), [changeAt(4)], 'the change 1-4 does not follow the state 1-2'],
        [stateAt(2), headAt(3), [forked], 'the change 1-3 does not follow the state 1-2'],
        [stateAt(2), headAt(5), [changeAt(3)], 'the changes lead to 1-3 and not to the head 1-5'],
        [stateAt(2), headAt(5), [], 'the changes lead to 1-2 and not to the head 1-5'],
        [stateAt(2), headAt(1, { imageSequence: 1 }), [], 'the changes lead to 1-2 and not to the head 1-1'],
        [stateAt(2), headAt(2, { imageSequence: 3 }), [], 'no log leads from the image 1-3 to the head 1-2'],
        [null, headAt(3), [], 'the changes lead to 1-0 and not to the head 1-3'],
      ] as const;
      for (const [expected, head, changes, message] of cases) {
        await expect(publication.appendIf(expected, head, changes)).rejects.toThrow(message);
      }
      expect(await publication.readHead()).toEqual(headAt(2));
    });

    test('without changes replaces what the head says besides', async () => {
      const { publication } = await publish(2);
      const pinned = headAt(2, { pinned: imageAt(0) });
      expect(await publication.appendIf(stateAt(2), pinned)).toBeNull();
      expect(await read(publication, 0)).toEqual({ head: pinned, changes: changesBetween(1, 2) });
      expect(await publication.appendIf(stateAt(2), headAt(2))).toBeNull();
      expect(await publication.readHead()).toEqual(headAt(2));
    });

    test('of another epoch begins a new log', async () => {
      const { publication, name } = await publish(3);
      const head = headAt(1, { epoch: 5, imageSequence: 1 });
      expect(await publication.appendIf(stateAt(3), head)).toBeNull();
      expect(await driver.storedChanges(name)).toEqual([]);
      expect(await read(publication, 2)).toEqual({ head, changes: [] });
      const next = headAt(2, { epoch: 5, imageSequence: 1 });
      expect(await publication.appendIf(stateAt(1, 5), next, [changeAt(2, [], 5)])).toBeNull();
      expect(await read(publication, 2)).toEqual({ head: next, changes: [changeAt(2, [], 5)] });
    });

    test('of an epoch that is less begins a new log too', async () => {
      const { publication } = await open();
      await publication.appendIf(null, headAt(0, { epoch: 5 }));
      await publication.appendIf(stateAt(0, 5), headAt(1, { epoch: 5 }), [changeAt(1, [], 5)]);
      const head = headAt(3, { epoch: 2 });
      const changes = [1, 2, 3].map((sequence) => changeAt(sequence, [], 2));
      expect(await publication.appendIf(stateAt(1, 5), head, changes)).toBeNull();
      expect(await publication.readFrom(stateAt(0, 2), { wait: 0 })).toEqual({ head, changes });
    });

    test('without an earlier head may begin with changes after its image', async () => {
      const { publication } = await open();
      const head = headAt(5, { imageSequence: 3 });
      expect(await publication.appendIf(null, head, changesBetween(4, 5))).toBeNull();
      expect(await read(publication, 3)).toEqual({ head, changes: changesBetween(4, 5) });
    });

    test('may leap to an image, which readers see as a gap', async () => {
      const { publication } = await publish(2);
      const head = headAt(6, { imageSequence: 6 });
      expect(await publication.appendIf(stateAt(2), head)).toBeNull();
      expect(await read(publication, 2)).toEqual({ head, changes: [] });
      await publication.appendIf(stateAt(6), headAt(7, { imageSequence: 6 }), [changeAt(7)]);
      expect((await read(publication, 2)).changes).toEqual([changeAt(7)]);
      expect((await read(publication, 6)).changes).toEqual([changeAt(7)]);
    });

    test('leaves the changes after the image before the present one', async () => {
      const { publication, name } = await publish(4);
      await publication.appendIf(stateAt(4), headAt(5, { imageSequence: 3 }), [changeAt(5)]);
      expect(await driver.storedChanges(name)).toEqual(['1-1', '1-2', '1-3', '1-4', '1-5']);
      await publication.appendIf(stateAt(5), headAt(5, { imageSequence: 5 }));
      expect(await driver.storedChanges(name)).toEqual(['1-4', '1-5']);
      expect((await read(publication, 1)).changes).toEqual(changesBetween(4, 5));
      await publication.appendIf(stateAt(5), headAt(6, { imageSequence: 6 }), [changeAt(6)]);
      expect(await driver.storedChanges(name)).toEqual(['1-6']);
    });

    test('finds no head if the log has lost the change that leads to it', async () => {
      const { publication, name } = await publish(3);
      await driver.loseChange(name, '1-3');
      expect(await publication.appendIf(stateAt(3), headAt(4), [changeAt(4)])).toEqual({ head: null });
      expect(await publication.appendIf(null, headAt(3), changesBetween(1, 3))).toBeNull();
      expect((await read(publication, 0)).changes).toEqual(changesBetween(1, 3));
    });

    test('keeps every value of JSON', async () => {
      const { publication } = await publish(0);
      const changes = { a: [null, true, -1.5e300, 'ä€😀\u0000"\\\u2028', {}], '': { __proto__x: 1 }, 'key.é': [[[]]] };
      await publication.appendIf(stateAt(0), headAt(1), [changeAt(1, changes)]);
      expect((await read(publication, 0)).changes).toEqual([changeAt(1, changes)]);
    });

    test('takes changes above 1 MiB', async () => {
      const { publication, name } = await publish(0);
      const large = Array.from({ length: 50_000 }, (_, i) => ({ id: i, text: `ä€😀 ${'x'.repeat(60)}` }));
      const changes = [changeAt(1), changeAt(2, large), changeAt(3)];
      expect(await publication.appendIf(stateAt(0), headAt(3), changes)).toBeNull();
      expect(await read(publication, 0)).toEqual({ head: headAt(3), changes });
      await publication.appendIf(stateAt(3), headAt(4, { imageSequence: 4 }), [changeAt(4)]);
      await publication.appendIf(stateAt(4), headAt(5, { imageSequence: 5 }), [changeAt(5)]);
      expect(await driver.storedChanges(name)).toEqual(['1-5']);
    });

    test('lets exactly one of eight win each version', async () => {
      const { publication, name } = await publish(0);
      const writers = await Promise.all(Array.from({ length: 8 }, () => open(name)));
      const last = 20;
      const won = await Promise.all(writers.map((each, i) => writeVersions(each.publication, `writer ${i}`, last)));
      const { changes } = await read(publication, 0);
      expect(changes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
      let digest = stateAt(0).digest;
      for (const change of changes) {
        expect(change.digests.before).toBe(digest);
        const winners = won.flatMap((versions, i) => (versions.includes(change.sequence) ? [`writer ${i}`] : []));
        expect(winners).toEqual([change.changes]);
        digest = change.digests.after;
      }
      expect((await publication.readHead())?.digest).toBe(digest);
    });
  });

  describe(`${title}: read`, () => {
    test('begins after a state, in order', async () => {
      const { publication } = await publish(30);
      expect((await read(publication, 0)).changes).toEqual(changesBetween(1, 30));
      expect((await read(publication, 28)).changes).toEqual(changesBetween(29, 30));
      expect(await read(publication, 30)).toEqual({ head: headAt(30), changes: [] });
    });

    test('shows a gap where changes are lost', async () => {
      const { publication, name } = await publish(4);
      await driver.loseChange(name, '1-1');
      expect((await read(publication, 0)).changes).toEqual(changesBetween(2, 4));
    });

    test('ends before a change that cannot be read', async () => {
      const { publication, name } = await publish(4);
      await driver.damageChange(name, '1-3');
      expect(await read(publication, 0)).toEqual({ head: headAt(4), changes: changesBetween(1, 2) });
      expect(await read(publication, 2)).toEqual({ head: headAt(4), changes: [] });
    });

    test('comes in pieces', async () => {
      const { publication } = await publish(0);
      const text = 'x'.repeat(900_000);
      for (let i = 0; i < 40; i += 10) {
        const changes = Array.from({ length: 10 }, (_, j) => changeAt(i + j + 1, text));
        await publication.appendIf(stateAt(i), headAt(i + 10), changes);
      }
      const sequences: number[] = [];
      let calls = 0;
      for (; sequences.length < 40; calls++) {
        const { changes } = await read(publication, sequences.length);
        expect(changes.length).toBeGreaterThan(0);
        expect(changes.length).toBeLessThan(25);
        sequences.push(...changes.map(({ sequence }) => sequence));
      }
      expect(sequences).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(calls).toBeGreaterThan(1);
    });

    test('waits, and is woken by a change', async () => {
      const { publication, name } = await publish(1);
      const writer = await open(name);
      await read(publication, 1);
      const times: number[] = [];
      for (let sequence = 1; sequence <= 10; sequence++) {
        const found = read(publication, sequence, 30_000);
        await pause(20);
        await writer.publication.appendIf(stateAt(sequence), headAt(sequence + 1), [changeAt(sequence + 1)]);
        const appended = performance.now();
        expect((await found).changes).toEqual([changeAt(sequence + 1)]);
        times.push(performance.now() - appended);
      }
      expect(times.sort((a, b) => a - b)[5]).toBeLessThan(100);
    });

    test('is woken by another head', async () => {
      const { publication, name } = await publish(1);
      const writer = await open(name);
      await read(publication, 1);
      const heads = [
        headAt(1, { pinned: imageAt(0) }),
        { ...headAt(1), access: { apiTokens: [], emailConfirmation: false } },
        headAt(1, { imageSequence: 1 }),
        headAt(4, { epoch: 3, imageSequence: 4 }),
      ];
      for (const head of heads) {
        const found = read(publication, 1, 30_000);
        await pause(20);
        await writer.publication.appendIf(stateAt(1), head);
        expect(await found).toEqual({ head, changes: [] });
      }
    });

    test('returns at once if the head became another between two calls', async () => {
      const { publication } = await publish(1);
      await read(publication, 1);
      const head = headAt(1, { pinned: imageAt(0) });
      await publication.appendIf(stateAt(1), head);
      expect(await read(publication, 1, 30_000)).toEqual({ head, changes: [] });
    });

    test('waits no longer than it should', async () => {
      const { publication } = await publish(1);
      await read(publication, 1);
      const started = performance.now();
      expect(await read(publication, 1, 200)).toEqual({ head: headAt(1), changes: [] });
      expect(performance.now() - started).toBeGreaterThan(150);
    });

    test('ends with the reason of its signal, and can be called again', async () => {
      const { publication } = await publish(1);
      await read(publication, 1);
      const controller = new AbortController();
      const found = publication.readFrom(stateAt(1), { wait: 30_000, signal: controller.signal });
      const settled = found.catch((error) => error);
      await pause(50);
      controller.abort(new Error('enough'));
      expect((await settled).message).toBe('enough');
      const late = publication.readFrom(stateAt(1), { wait: 30_000, signal: controller.signal });
      await expect(late).rejects.toThrow('enough');
      expect((await read(publication, 0)).changes).toEqual([changeAt(1)]);
    });
  });

  describe(`${title}: presence`, () => {
    const member = (id: string) => ({ id, role: 'replica' as const, name: 'host 1', version: '1-2', startedAt: 5 });

    test('lists members until they leave or expire', async () => {
      const { presence, name } = await open();
      const other = await open(name);
      expect(await presence.members()).toEqual([]);
      await presence.renew(member('a/1'), 60);
      await other.presence.renew({ ...member('b'), role: 'publisher', version: null }, 60);
      await other.presence.renew(member('c'), 1);
      const listed = (await presence.members()).sort((a, b) => a.id.localeCompare(b.id));
      expect(listed).toEqual([member('a/1'), { ...member('b'), role: 'publisher', version: null }, member('c')]);
      await waitFor(async () => expect((await presence.members()).map(({ id }) => id)).not.toContain('c'));
      await presence.renew({ ...member('a/1'), version: '1-3' }, 60);
      await other.presence.leave('b');
      expect(await other.presence.members()).toEqual([{ ...member('a/1'), version: '1-3' }]);
    });
  });

  describe(`${title}: images`, () => {
    test('are put under their SHA-256 and got where their bytes are right', async () => {
      const { publication } = await open();
      const folder = temporaryFolder();
      const [from, to] = [join(folder, 'from'), join(folder, 'to')];
      const bytes = Buffer.alloc(3_000_000, 'image');
      writeFileSync(from, bytes);
      const image = await publication.putImage(from);
      expect(image).toEqual({ bytes: bytes.length, sha256: sha256(bytes) });
      expect(await publication.putImage(from)).toEqual(image);
      await publication.getImage(image, to);
      expect(bytes.equals(await readFile(to))).toBe(true);
      await expect(publication.getImage({ ...image, sha256: '0'.repeat(64) }, to)).rejects.toThrow(PublicationError);
      expect(bytes.equals(await readFile(to))).toBe(true);
    });
  });
}
