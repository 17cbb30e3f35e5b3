import { expect, test } from 'vitest';
import { ask, openGuide } from '../support/guide.ts';

test('public access permits every content type and files, but neither users nor drafts', async () => {
  const roles = [{ type: 'public', permissions: [] }];
  const closed = await openGuide({ roles });
  const open = await openGuide({ roles, public: true });
  for (const path of ['/api/restaurants', '/api/chefs', '/api/upload/files', '/api/i18n/locales']) {
    expect((await ask(closed, path)).status, path).toBe(403);
    expect((await ask(open, path)).status, path).toBe(200);
  }
  for (const path of ['/api/users', '/api/users-permissions/roles']) expect((await ask(open, path)).status).toBe(403);
  expect((await ask(open, '/api/articles', 'status=draft')).status).toBe(403);
});

test('public access keeps the other permissions of the role', async () => {
  const permissions = ['plugin::users-permissions.user.count'];
  const open = await openGuide({ roles: [{ type: 'public', permissions }], public: true });
  expect((await ask(open, '/api/users/count')).status).toBe(200);
});
