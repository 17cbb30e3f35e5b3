import { expect, test, vi } from 'vitest';
import type { Content } from '../../src/content/content.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { open } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { thingSnapshot } from '../support/guide.ts';
import { journalPath, newDisk, openJournaled } from '../support/journaled.ts';

const openThings = () => open(thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one' }]), {});
function breakEngine({ history }: Content): void {
  vi.spyOn(history.latest.engine, 'change').mockImplementationOnce(() => {
    throw new Error('broken');
  });
}

const request = {
  previous: null,
  form: 'changes',
  given: [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title: 'Changed' } }],
} as const;

test('a key stays in use if another thread fails to apply the changes', async () => {
  const content = await openThings();
  const changes = new ChangeWriter(content, () => Promise.reject(new Error('a thread has ended')));
  const key = { key: 'k1', digest: 'a' };
  await expect(changes.change(request, key)).rejects.toThrow('a thread has ended');
  expect((await changes.change(request, key)).sequence).toBe(1);
  expect(content.version).toMatch(/-1$/);
  expect(changes.figures.batches).toBe(1);
});

test.each(['with', 'without'])('an error after a batch is visible is a warning, %s a journal', async (journal) => {
  const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one' }]);
  const { content, opened } =
    journal === 'with' ? await openJournaled(await newDisk(), snapshot) : { content: await openThings(), opened: null };
  const delivered = vi.fn(async () => {});
  const changes = new ChangeWriter(content, delivered, opened);
  const published = vi.spyOn(content.history.served.changes, 'publish').mockImplementationOnce(() => {
    throw new Error('broken');
  });
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const key = { key: 'k1', digest: 'a' };
  const answer = await changes.change(request, key);
  expect(published).toHaveBeenCalledOnce();
  expect(warned.mock.calls).toEqual([[new Error('broken')]]);
  warned.mockRestore();
  expect(content.find('things', {}).data).toMatchObject([{ title: 'Changed' }]);
  expect(delivered).toHaveBeenCalledOnce();
  expect(await changes.change(request, key)).toBe(answer);
  expect((await changes.change(request, null)).sequence).toBe(2);
  expect(changes.figures).toMatchObject({ batches: 2, journal: opened && { failure: null } });
  await changes.close();
});

test('after a batch that is kept and cannot be served, changes are refused until a restart or a reload without the changes', async () => {
  const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one' }]);
  const disk = await newDisk();
  const openServed = async () => {
    const { content, opened } = await openJournaled(disk, snapshot);
    return { content, changes: new ChangeWriter(content, async () => {}, opened) };
  };
  const first = await openServed();
  breakEngine(first.content);
  const key = { key: 'k1', digest: 'a' };
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const reason = `the journal ${journalPath} holds the batch ${first.content.history.version.epoch}-1, which could not be served: broken. A restart tries it again. POST /_reload?changes=discard serves the snapshot without the changes of the journal`;
  await expect(first.changes.change(request, key)).rejects.toMatchObject({
    status: 503,
    message: `The changes are kept, but not served: ${reason}`,
  });
  expect(warned).toHaveBeenCalledWith(new Error('broken'));
  warned.mockRestore();
  for (const again of [key, null]) {
    await expect(first.changes.change(request, again)).rejects.toMatchObject({
      status: 503,
      message: `The changes are not applied: ${reason}`,
    });
  }
  // not checked, which may take long
  await expect(first.changes.change({ ...request, given: 'wrong' }, null)).rejects.toMatchObject({ status: 503 });
  expect(first.changes.figures.failures).toEqual({ invalid: 0, conflict: 0, published: 0, journal: 3 });
  expect(first.changes.figures.journal!.failure).toBe(reason);
  expect(first.content.find('things', {}).data).toMatchObject([{ title: null }]);
  await first.changes.close();

  const second = await openServed();
  expect(second.content.find('things', {}).data).toMatchObject([{ title: 'Changed' }]);
  expect((await second.changes.change(request, key)).sequence).toBe(1);
  expect((await second.changes.change(request, null)).sequence).toBe(2);
  breakEngine(second.content);
  const warnedAgain = vi.spyOn(process, 'emitWarning').mockReturnValue();
  await expect(second.changes.change(request, null)).rejects.toMatchObject({ status: 503 });
  warnedAgain.mockRestore();
  await second.changes.reload(await loadSnapshot(snapshot), { started: 0, changes: 'discard' });
  expect(second.content.find('things', {}).data).toMatchObject([{ title: null }]);
  expect((await second.changes.change(request, null)).sequence).toBe(1);
  await second.changes.close();
});
