// The routes of roles: /api/users-permissions/roles and /:id.
import { expect, test } from 'vitest';
import { ask, openGuide, sha256 } from '../support/guide.ts';

const userFind = 'plugin::users-permissions.user.find';

const mayRead = (...actions: string[]) => ({
  tokens: [
    {
      name: 'roles',
      sha256: sha256('roles'),
      type: 'custom' as const,
      permissions: actions.map((action) =>
        action.includes('::') ? action : `plugin::users-permissions.role.${action}`,
      ),
    },
  ],
});

test.each(['document', 'strapi'] as const)(
  'only callers who may list users see how many users a role has (%s)',
  async (dialect) => {
    const listed = async (...actions: string[]) => {
      const content = await openGuide({ dialect, ...mayRead('find', ...actions) });
      return ask(content, '/api/users-permissions/roles', '', { authorization: 'Bearer roles' });
    };
    expect(JSON.stringify((await listed(userFind)).body)).toContain('nb_users');
    const withoutUsers = await listed('plugin::users-permissions.user.me');
    expect(withoutUsers.status).toBe(200);
    expect(JSON.stringify(withoutUsers.body)).not.toContain('nb_users');
  },
);

test('the list of roles has the number of users of each, a single role has not', async () => {
  const content = await openGuide(mayRead('find', 'findOne', userFind));
  const asked = (path: string) => ask(content, path, '', { authorization: 'Bearer roles' });
  const { body } = await asked('/api/users-permissions/roles');
  const [first] = (body as unknown as { roles: { id: number; nb_users: number }[] }).roles;
  expect(first.nb_users).toBeTypeOf('number');
  const { nb_users: _, ...role } = first;
  expect(await asked(`/api/users-permissions/roles/${first.id}`)).toMatchObject({ status: 200, body: { role } });
  expect(JSON.stringify((await asked(`/api/users-permissions/roles/${first.id}`)).body)).not.toContain('nb_users');
});

test('a missing role is a 404, an invalid id a 400, a missing permission a 403', async () => {
  const content = await openGuide(mayRead('findOne'));
  const asked = async (path: string, authorization?: string) => ask(content, path, '', { authorization });
  const missing = await asked('/api/users-permissions/roles/777', 'Bearer roles');
  expect(missing).toMatchObject({ status: 404, body: { error: { name: 'NotFoundError', message: 'Role not found' } } });
  expect((await asked('/api/users-permissions/roles/x', 'Bearer roles')).status).toBe(400);
  expect((await asked('/api/users-permissions/roles', 'Bearer roles')).status).toBe(403);
  expect((await asked('/api/users-permissions/roles/1')).status).toBe(403);
  expect((await asked('/api/users-permissions/roles/1/2', 'Bearer roles')).status).toBe(404);
});
