/** A content with all kinds of attributes, for tests of batches. */
import type { BatchOptions } from '../../src/changes/batch/batch-options.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';

export const article = 'api::article.article';
export const author = 'api::author.author';
export const home = 'api::home.home';
export const badge = 'api::badge.badge';
export const users = 'plugin::users-permissions.user';
export const roleUid = 'plugin::users-permissions.role';
export const files = 'plugin::upload.file';

const relation = (kind: string, target: string, inverse: object = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...inverse,
});

export const definitions = {
  settings: { defaultLocale: 'en', locales: [{ code: 'en' }, { code: 'fr' }] },
  contentTypes: [
    {
      info: { singularName: 'article', pluralName: 'articles' },
      options: { draftAndPublish: true },
      pluginOptions: { i18n: { localized: true } },
      attributes: {
        title: { type: 'string' },
        rating: { type: 'integer' },
        secret: { type: 'string', private: true },
        author: relation('manyToOne', author, { inversedBy: 'articles' }),
        related: relation('manyToMany', article),
        badge: relation('oneToOne', badge, { inversedBy: 'article' }),
        subject: { type: 'relation', relation: 'morphToOne' },
        subjects: { type: 'relation', relation: 'morphToMany' },
        cover: { type: 'media', multiple: false },
        seo: { type: 'component', component: 'shared.seo', repeatable: false },
        cards: { type: 'component', component: 'shared.card', repeatable: true },
        blocks: { type: 'dynamiczone', components: ['shared.seo', 'shared.card'] },
      },
    },
    {
      info: { singularName: 'author', pluralName: 'authors' },
      attributes: { name: { type: 'string' }, articles: relation('oneToMany', article, { mappedBy: 'author' }) },
    },
    {
      info: { singularName: 'badge', pluralName: 'badges' },
      attributes: { name: { type: 'string' }, article: relation('oneToOne', article, { mappedBy: 'badge' }) },
    },
    {
      kind: 'singleType' as const,
      info: { singularName: 'home', pluralName: 'homes' },
      attributes: { title: { type: 'string' } },
    },
  ],
  components: {
    'shared.seo': { attributes: { metaTitle: { type: 'string' }, picture: { type: 'media', multiple: false } } },
    'shared.card': {
      attributes: {
        text: { type: 'string' },
        author: relation('oneToOne', author),
        seo: { type: 'component', component: 'shared.seo', repeatable: false },
      },
    },
  },
  roles: [
    { type: 'public', permissions: [`${article}.find`] },
    { type: 'editor', name: 'Editor', permissions: [] },
  ],
};

export const entries = {
  author: [
    { id: 3, documentId: 'ada', name: 'Ada' },
    { id: 7, documentId: 'ben', name: 'Ben' },
  ],
  badge: [{ documentId: 'gold', name: 'Gold' }],
  file: [{ documentId: 'cover-1', name: 'cover', hash: 'cover_1', ext: '.png', url: '/uploads/cover_1.png' }],
  home: [{ documentId: 'home', title: 'Welcome' }],
  user: [
    { documentId: 'u1', username: 'una', blocked: true, role: 'editor' },
    { documentId: 'u2', username: 'ulf', blocked: false, role: 'editor' },
  ],
  article: [
    {
      id: 10,
      documentId: 'one',
      locale: 'en',
      createdAt: '2026-01-01T00:00:00.000Z',
      title: 'One',
      rating: 4,
      author: 'ada',
      related: ['two'],
      badge: 'gold',
      cover: 'cover-1',
      seo: { id: 5, metaTitle: 'first', picture: 'cover-1' },
      cards: [
        { id: 21, text: 'a', author: 'ada', seo: { id: 6, metaTitle: 'in card' } },
        { id: 22, text: 'b' },
      ],
      blocks: [
        { __component: 'shared.card', id: 23, text: 'c' },
        { __component: 'shared.seo', id: 8, metaTitle: 'last' },
      ],
    },
    { id: 11, documentId: 'one', locale: 'en', status: 'draft', title: 'One, draft', author: 'ada' },
    { id: 12, documentId: 'one', locale: 'fr', title: 'Un', subject: { __type: author, documentId: 'ben' } },
    { id: 13, documentId: 'two', locale: 'en', title: 'Two', author: 'ben' },
  ],
};

export async function load(snapshot: Partial<JsonSnapshot> = {}, tolerance?: 'strict' | 'tolerant') {
  return loadSnapshot({ ...definitions, entries, ...snapshot } as JsonSnapshot, { tolerance });
}

export function optionsOf({ kind, dialect, addresses, roles, blockedUsers }: LoadedSnapshot): BatchOptions {
  return { kind, dialect, addresses, roles, blockedUsers, uploadNames: null };
}
