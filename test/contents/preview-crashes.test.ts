import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { JournalError, JournalFull } from '../../src/changes/journal/errors.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import { ContentsFolder } from '../../src/content/registry/contents-folder.ts';
import { article, author } from '../changes/content.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startSite } from './applied-previews.ts';
import { stopAll } from './running-contents.ts';

/** Changes of a preview are applied once, whenever the process ends and whichever write fails. */

type Site = Awaited<ReturnType<typeof startSite>>;

const end = async () => {
  vi.restoreAllMocks();
  await stopAll();
};
afterEach(end);

const added = { patch: article, documentId: 'one', add: { cards: [{ component: { text: 'added' } }] } };
const chosen = {
  documents: [
    { type: article, documentId: 'one' },
    { type: article, documentId: 'two' },
  ],
};

/** A preview with changes that would show if they were made twice or not at all. */
async function startPreview(): Promise<Site> {
  const site = await startSite();
  await site.putPreview([added]);
  await site.change([{ delete: article, documentId: 'two' }]);
  await site.change([{ upsert: author, entry: { documentId: 'eve', name: 'Eve' } }]);
  return site;
}

/** What the base and the preview show of the changes. */
async function shownBy(site: Site, name: string): Promise<[cards: number, deleted: boolean, added: boolean]> {
  const [one] = await site.read(article, 'one', name);
  const [two, eve] = [await site.read(article, 'two', name), await site.read(author, 'eve', name)];
  return [one.cards.length, two.length === 0, eve.length === 1];
}

/** Checks that the chosen changes are made in the base or in the preview, and not in both. Returns where. */
async function checkOnce(site: Site): Promise<'base' | 'preview'> {
  // what the preview shows is the same wherever its changes are
  expect(await shownBy(site, 'pr')).toEqual([3, true, true]);
  const { changes, fit } = await site.show();
  expect(fit).toEqual({ fits: true });
  const base = await shownBy(site, 'main');
  const isApplied = base[0] === 3;
  expect([base, changes]).toEqual(isApplied ? [[3, true, false], 1] : [[2, false, false], 3]);
  return isApplied ? 'base' : 'preview';
}

/** Copies the folder of a site before and after each write, as a crash would leave it. */
function recordStates(folder: string): { folder: string; at: string }[] {
  const states: { folder: string; at: string }[] = [];
  const record = (at: string) => {
    const copy = join(temporaryFolder(), 'state');
    cpSync(folder, copy, { recursive: true });
    states.push({ folder: copy, at });
  };
  const around = <Arguments extends unknown[], Result>(
    name: string,
    write: (this: never, ...given: Arguments) => Promise<Result>,
  ) =>
    async function (this: never, ...given: Arguments): Promise<Result> {
      record(`before ${name}`);
      const result = await write.apply(this, given);
      record(`after ${name}`);
      return result;
    };
  const { writeChanges } = ContentsFolder.prototype;
  const { append } = Journal.prototype;
  vi.spyOn(ContentsFolder.prototype, 'writeChanges').mockImplementation(around('file', writeChanges as never) as never);
  vi.spyOn(Journal.prototype, 'append').mockImplementation(around('journal', append as never) as never);
  return states;
}

test('a process that ends before or after any write applies nothing twice and loses nothing', async () => {
  const site = await startPreview();
  const states = recordStates(site.folder);
  const key = { 'Idempotency-Key': 'k' };
  const first = await site.apply(chosen, key);
  expect(first).toMatchObject({ status: 200, body: { applied: 2, left: 1 } });
  expect(await checkOnce(site)).toBe('base');
  await end();
  const order = ['file', 'journal', 'file'].flatMap((name) => [`before ${name}`, `after ${name}`]);
  expect(states.map(({ at }) => at)).toEqual(order);
  const found: string[] = [];
  for (const { folder } of states) {
    const restarted = await startSite({ folder });
    found.push(await checkOnce(restarted));
    // whoever has lost the reply sends the request again
    const again = await restarted.apply(chosen, key);
    expect(again.status).toBe(200);
    if (found.at(-1) === 'base') expect(again.body).toMatchObject(first.body);
    expect(await checkOnce(restarted)).toBe('base');
    expect(await restarted.apply(chosen, key)).toEqual(again);
    expect((await restarted.apply()).body).toMatchObject({ applied: 1, left: 0 });
    await end();
    const last = await startSite({ folder });
    expect(await shownBy(last, 'main')).toEqual([3, true, true]);
    expect(await last.show()).toMatchObject({ changes: 0 });
    await end();
  }
  expect(found).toEqual(['preview', 'preview', 'preview', 'base', 'base', 'base']);
}, 60_000);

describe('a write that fails', () => {
  const failOnce = (call: number) => {
    const { writeChanges } = ContentsFolder.prototype;
    let calls = 0;
    vi.spyOn(ContentsFolder.prototype, 'writeChanges').mockImplementation(async function (
      this: ContentsFolder,
      ...given
    ) {
      if (calls++ === call) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      return writeChanges.apply(this, given);
    });
  };

  test('before the base has the changes leaves everything as it was', async () => {
    const site = await startPreview();
    failOnce(0);
    expect((await site.apply(chosen)).status).toBe(507);
    expect(await checkOnce(site)).toBe('preview');
    expect((await site.apply(chosen)).status).toBe(200);
    expect(await checkOnce(site)).toBe('base');
  });

  test('after the base has them is made up for by the next start, or the next write', async () => {
    const site = await startPreview();
    failOnce(1);
    expect((await site.apply(chosen)).status).toBe(200);
    expect(await checkOnce(site)).toBe('base');
    expect(site.lines).toContainEqual(expect.objectContaining({ msg: expect.stringContaining('cannot be written') }));
    await end();
    const restarted = await startSite({ folder: site.folder });
    expect(await checkOnce(restarted)).toBe('base');
    await restarted.change([{ patch: article, documentId: 'one', set: { rating: 1 } }]);
    await end();
    expect(await checkChanges(await startSite({ folder: site.folder }))).toBe(2);
  });

  const checkChanges = async (site: Site) => (await site.show()).changes;

  test.each([
    ['because the disk is full', new JournalFull('full'), 507],
    ['and may be kept', new JournalError('broken', { mayBeKept: true } as never), 503],
  ])('in the journal, %s, keeps the changes in the preview', async (_, error, status) => {
    const site = await startPreview();
    vi.spyOn(Journal.prototype, 'append').mockRejectedValueOnce(error);
    expect((await site.apply(chosen)).status).toBe(status);
    expect(await checkOnce(site)).toBe('preview');
    const other = { changes: [{ patch: article, documentId: 'one', set: { rating: 1 } }] };
    // whether the base has them is not known before the next start
    expect((await site.send('POST', '/_changes?content=pr', other)).status).toBe(status === 507 ? 200 : 409);
    await end();
    const restarted = await startSite({ folder: site.folder });
    expect((await restarted.show()).changes).toBe(status === 507 ? 4 : 3);
    expect((await restarted.apply(chosen)).status).toBe(200);
    expect((await shownBy(restarted, 'main'))[0]).toBe(3);
  });
});

test('a base without a journal loses the changes with the process, and the preview does not have them either', async () => {
  const site = await startSite({ hasJournal: false });
  await site.putPreview([added]);
  const states = recordStates(site.folder);
  await site.apply({ withoutJournal: true });
  await end();
  const counts: number[] = [];
  for (const { folder } of states) {
    const restarted = await startSite({ folder, hasJournal: false });
    counts.push((await restarted.show()).changes);
    await end();
  }
  // only a finished application takes them out of the preview
  expect(counts).toEqual([1, 1, 1, 0]);
});
