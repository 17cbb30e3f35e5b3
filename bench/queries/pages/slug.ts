import { query } from '../../query.ts';

export const pagesSlug = query({
  name: 'pages-slug',
  content: 'pages',
  label: 'slug',
  title: 'slug equals',
  http: 'one entry',
  draw: (random, rows) => ({ slug: random.pick(rows.type('page')).slug as string }),
  find: ({ slug }) => ({ type: 'page', where: { path: ['slug'], operator: 'eq', value: slug } }),
  tuned: {
    setup: 'create unique index page_slug on page (slug)',
    ids: 'select id from page where slug = :slug',
    unique: true,
  },
});
