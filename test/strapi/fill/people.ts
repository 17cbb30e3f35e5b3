/** Locales, roles, users, API tokens and files: what Strapi's own plugins hold. */
import { askingUsers, tokens } from '../access.ts';
import type { Random } from '../random.ts';
import type { Strapi } from './strapi.ts';
import { randomText } from './values.ts';

export interface Locale {
  code: string;
  name: string;
}

/** Adds locales to the one that Strapi begins with, which is `en`. */
export async function fillLocales(strapi: Strapi, locales: Locale[]): Promise<void> {
  const service = strapi.plugin('i18n').service('locales');
  for (const { code, name } of locales) await service.create({ code, name });
}

/** Gives roles, by their type, permission for actions. Roles that Strapi does not begin with are made. */
export async function fillRoles(strapi: Strapi, rolePermissions: Record<string, string[]>): Promise<void> {
  const roles = strapi.db.query('plugin::users-permissions.role');
  const permissions = strapi.db.query('plugin::users-permissions.permission');
  for (const [type, actions] of Object.entries(rolePermissions)) {
    const known = await roles.findOne({ where: { type } });
    const role = known ?? (await roles.create({ data: { name: type, type, description: `What a ${type} may do` } }));
    for (const action of actions) {
      const granted = await permissions.findOne({ where: { action, role: role.id } });
      if (!granted) await permissions.create({ data: { action, role: role.id } });
    }
  }
}

export async function fillTokens(strapi: Strapi): Promise<void> {
  const service = strapi.service('admin::api-token');
  for (const { text, ...token } of tokens) {
    const { id } = await service.create({ description: '', lifespan: null, ...token });
    // the service draws a text of its own; ours has to be known
    await strapi.db.query('admin::api-token').update({ where: { id }, data: { accessKey: service.hash(text) } });
  }
}

/** The users who ask, and some more, one of whom is blocked. Gives their documentIds. */
export async function fillUsers(strapi: Strapi, random: Random): Promise<string[]> {
  const roles = strapi.db.query('plugin::users-permissions.role');
  const users: { username: string; role: string; blocked?: boolean }[] = [
    ...askingUsers.map(({ name, role }) => ({ username: name, role })),
    { username: 'Zoë', role: 'authenticated' },
    { username: 'blocked one', role: 'authenticated', blocked: true },
    { username: 'ÅSA', role: 'guest' },
  ];
  const documentIds: string[] = [];
  for (const { username, role, blocked = false } of users) {
    const { documentId } = await strapi
      .plugin('users-permissions')
      .service('user')
      .add({
        username,
        email: `user${documentIds.length}@example.com`,
        password: 'Museum-1234',
        provider: 'local',
        confirmed: random.chance(70),
        blocked,
        role: (await roles.findOne({ where: { type: role } }))!.id,
      });
    documentIds.push(documentId);
  }
  return documentIds;
}

/** Rows of the media library, without bytes behind them. Gives their ids. */
export async function fillFiles(strapi: Strapi, random: Random): Promise<number[]> {
  const folder = await strapi.db
    .query('plugin::upload.folder')
    .create({ data: { name: 'Scans', pathId: 1, path: '/1' } });
  const files = random.many(16, 16, (index) => {
    const hash = `file_${index}`;
    const url = `/uploads/${hash}.png`;
    const thumbnail = { name: `thumbnail_${hash}.png`, hash: `thumbnail_${hash}`, ext: '.png', width: 10, height: 8 };
    return {
      name: `${randomText(random)}.png`,
      alternativeText: random.chance(50) ? randomText(random) : null,
      caption: random.chance(50) ? randomText(random) : null,
      width: random.chance(80) ? random.integer(1, 4) * 100 : null,
      height: random.chance(80) ? random.integer(1, 4) * 100 : null,
      formats: random.chance(50) ? { thumbnail: { ...thumbnail, path: null, url: `/uploads/t_${hash}.png` } } : null,
      hash,
      ext: '.png',
      mime: random.pick(['image/png', 'image/png', 'image/jpeg', 'application/pdf']),
      size: random.pick([1, 12.5, 340.02, 7]),
      url,
      provider: 'local',
      folderPath: random.chance(30) ? '/1' : '/',
    };
  });
  const ids: number[] = [];
  for (const file of files) {
    const data = { ...file, folder: file.folderPath === '/1' ? folder.id : null };
    ids.push((await strapi.db.query('plugin::upload.file').create({ data })).id);
  }
  return ids;
}
