import { expect, test, vi } from 'vitest';
import { EntityWriter } from '../../src/changes/entity-writer.ts';
import { open } from '../../src/index.ts';
import { ContentChanges } from '../../src/live/content-changes.ts';
import { thingSnapshot } from '../support/guide.ts';

const openThings = () => open(thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one' }]), {});
const request = {
  previous: null,
  form: 'changes',
  given: [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title: 'Changed' } }],
} as const;

test('a key stays in use if another thread fails to apply the changes', async () => {
  const content = await openThings();
  const changes = new ContentChanges(content, () => Promise.reject(new Error('a thread has ended')));
  const key = { key: 'k1', digest: 'a' };
  await expect(changes.change(request, key)).rejects.toThrow('a thread has ended');
  expect((await changes.change(request, key)).sequence).toBe(1);
  expect(content.version).toMatch(/-1$/);
  expect(changes.figures.batches).toBe(1);
});

test('changes in JSON are built once', async () => {
  const content = await openThings();
  const writes = vi.spyOn(EntityWriter.prototype, 'add');
  await new ContentChanges(content, () => Promise.resolve()).change(request, null);
  expect(content.version).toMatch(/-1$/);
  expect(writes).toHaveBeenCalledTimes(1);
  writes.mockRestore();
});
