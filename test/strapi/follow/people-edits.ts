/** Edits of what Strapi's own plugins hold: users, roles and files. */
import { askingUsers } from '../access.ts';
import { randomText } from '../fill/values.ts';
import { EditRefused, type StrapiClient } from './clients.ts';
import { editedTypes } from './documents.ts';
import { type Edit, type MadeEdit, question, uniqueText } from './edit.ts';

export const upload: Edit = async ({ strapi, random, hasFiles }) => {
  const form = new FormData();
  form.append('files', new Blob([randomText(random)], { type: 'text/plain' }), `note-${uniqueText()}.txt`);
  const [{ id, url }] = (await strapi.send('POST', '/api/upload', form)) as { id: number; url: string }[];
  return question(hasFiles && random.chance(50) ? url : `/api/upload/files/${id}`);
};

const showUser = (id: number): MadeEdit => question(`/api/users/${id}?populate=role`);

/** The ids of the users that may change: those who ask the questions stay. */
async function changingUsers(strapi: StrapiClient): Promise<number[]> {
  const users = (await strapi.send('GET', '/api/users')) as { id: number }[];
  return users.map(({ id }) => id).filter((id) => !askingUsers.some((asking) => asking.id === id));
}

/** Adds a user, or changes one. */
export const changeUsers: Edit = async ({ strapi, random }) => {
  const known = await changingUsers(strapi);
  const username = `user ${uniqueText()}`;
  if (known.length < 3 || random.chance(50)) {
    const email = `${uniqueText()}@example.com`;
    const user = { username, email, password: 'Museum-1234', role: 1, confirmed: true };
    const { id } = (await strapi.send('POST', '/api/users', user)) as { id: number };
    return showUser(id);
  }
  const id = random.pick(known);
  await strapi.send('PUT', `/api/users/${id}`, { username, blocked: random.chance(30) });
  return showUser(id);
};

export const removeUser: Edit = async ({ strapi, random }) => {
  const known = await changingUsers(strapi);
  if (known.length === 0) throw new EditRefused('only the users who ask are left');
  const id = random.pick(known);
  await strapi.send('DELETE', `/api/users/${id}`);
  return showUser(id);
};

/** Gives the role of guests the permission to read a type, or takes it back. */
export const changeRole: Edit = async ({ strapi, random }) => {
  const { uid, plural } = random.pick(editedTypes.filter(({ singular }) => singular !== 'exhibit'));
  const action = `${uid}.find`;
  const permission = 'plugin::users-permissions.permission';
  const role = (await strapi.act('plugin::users-permissions.role', 'findOne', { where: { type: 'guest' } }, true)) as {
    id: number;
  };
  const known = (await strapi.act(permission, 'findOne', { where: { action, role: role.id } }, true)) as {
    id?: number;
  };
  if (known.id) await strapi.act(permission, 'delete', { where: { id: known.id } }, true);
  else await strapi.act(permission, 'create', { data: { action, role: role.id } }, true);
  return question(`/api/${plural}?pagination[pageSize]=1&sort=id`, 'guest');
};
