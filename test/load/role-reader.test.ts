import { expect, test } from 'vitest';
import { RoleReader } from '../../src/load/strapi/strapi-content.ts';
import { permissionType, roleType } from '../../src/model/schema/schema.ts';

test('permissions whose action is no text are left out', () => {
  const reader = new RoleReader();
  reader.addEntity(roleType, { id: 1, type: 'public', name: 'Public' });
  const actions = ['api::thing.thing.find', { toString: 1, valueOf: 1 }, null, 7];
  for (const [id, action] of actions.entries()) {
    reader.addEntity(permissionType, { id, action });
    reader.addLink({ type: permissionType, ref: id }, { type: roleType, ref: 1 });
  }
  expect(reader.finish()).toEqual([{ type: 'public', name: 'Public', permissions: ['api::thing.thing.find'] }]);
});
