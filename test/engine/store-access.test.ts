import { expect, test } from 'vitest';
import { StoreAccess } from '../../src/engine/store-access.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { noCredentials } from '../../src/model/access/credentials.ts';
import { Roles } from '../../src/model/access/permissions.ts';
import { thingSnapshot } from '../support/guide.ts';

const users = [
  { documentId: 'a', username: 'Ada', role: 'editor', confirmed: true },
  { documentId: 'b', username: 'Bob', role: 'editor', blocked: true, confirmed: false },
  { documentId: 'c', username: 'Cleo' },
];

async function accessOf(entries: object[]) {
  const roles = [{ type: 'editor', permissions: ['api::thing.thing.find'] }];
  const loaded = await loadSnapshot(thingSnapshot({}, [], { entries: { thing: [], user: entries }, roles }), {});
  const { blockedUsers, emailConfirmation } = loaded;
  return new StoreAccess(loaded.store, {
    roles: new Roles(loaded.roles),
    blockedUsers,
    emailConfirmation,
    credentials: noCredentials,
    ignoresOtherCredentials: false,
  });
}

test("reads a user's role, block and confirmation", async () => {
  const access = await accessOf(users);
  expect([1, 2, 3].map((id) => access.user(id))).toEqual([
    { role: 'editor', blocked: false, confirmed: true },
    { role: 'editor', blocked: true, confirmed: false },
    { role: null, blocked: false, confirmed: false },
  ]);
  expect(access.role('editor').allows('api::thing.thing.find')).toBe(true);
});

test.each([0, 4, -1, 1.5, Number.MAX_SAFE_INTEGER])('finds no user with the id %d', async (id) => {
  expect((await accessOf(users)).user(id)).toBeUndefined();
});

test('finds no user in content without users', async () => {
  expect((await accessOf([])).user(1)).toBeUndefined();
});

test('callers without credentials share one object with the role public', async () => {
  const access = await accessOf(users);
  expect(access.anonymous).toMatchObject({ role: 'public', userId: null });
  expect(access.anonymous).toBe(access.anonymous);
});
