import { query } from '../../query.ts';

export const slug = query({
  name: 'slug',
  content: 'magazine',
  label: 'slug',
  title: 'slug equals',
  http: 'one entry',
  draw: (random, rows) => ({ slug: random.pick(rows.type('article')).slug as string }),
  find: ({ slug }) => ({ type: 'article', where: { path: ['slug'], operator: 'eq', value: slug } }),
  tuned: {
    setup: 'create unique index if not exists article_slug on article (slug)',
    ids: 'select id from article where slug = :slug',
    unique: true,
  },
});
