import { query } from '../../query.ts';

export const pagesFields = query({
  name: 'pages-fields',
  content: 'pages',
  label: 'two fields of a page',
  title: 'width at least, only title and path, sorted by weight, pages 1-10',
  draw: (random) => ({ width: random.integer(320, 2200), page: random.integer(1, 10) }),
  find: ({ width, page }) => ({
    type: 'page',
    where: { path: ['width'], operator: 'gte', value: width },
    fields: ['title', 'path'],
    sort: [{ path: ['weight'], descending: true }],
    page,
  }),
  tuned: {
    setup: `create index fields_page on page (weight desc, id, width);
      create index fields_count on page (width)`,
    ids: 'select id from page indexed by fields_page where width >= :width order by weight desc, id',
    count: 'select count(*) from page indexed by fields_count where width >= :width',
  },
});
