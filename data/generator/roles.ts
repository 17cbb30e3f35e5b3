/** Who may read what. */

const find = (type: string) => [`api::${type}.${type}.find`, `api::${type}.${type}.findOne`];
const FILES = ['plugin::upload.content-api.find', 'plugin::upload.content-api.findOne'];
const LOCALES = 'plugin::i18n.locales.listLocales';

const PUBLIC = [
  ...['article', 'author', 'team', 'category', 'place', 'issue', 'bookmark'].flatMap(find),
  'api::homepage.homepage.find',
  ...FILES,
  LOCALES,
];
const USERS = ['plugin::users-permissions.user.find', 'plugin::users-permissions.user.findOne'];
const READER = [...PUBLIC, ...find('invoice'), 'plugin::users-permissions.user.me'];

export const ROLES = [
  { type: 'public', name: 'Public', permissions: PUBLIC },
  { type: 'authenticated', name: 'Authenticated', permissions: READER },
  { type: 'editor', name: 'Editor', permissions: [...READER, ...USERS, 'draft'] },
];

export const SETTINGS = {
  $schema: '../schemas/settings.schema.json',
  defaultLocale: 'en',
  locales: [
    { code: 'en', name: 'English (en)' },
    { code: 'fr', name: 'French (fr)' },
    { code: 'de', name: 'German (de)' },
  ],
};
