import { query } from '../../query.ts';

export const pagesWhole = query({
  name: 'pages-whole',
  content: 'pages',
  label: 'populated page',
  title: 'no filter, all pages, components, zones and relations',
  draw: (random, rows) => ({ page: random.integer(1, Math.floor(rows.type('page').length / 25)) }),
  find: ({ page }) => ({
    type: 'page',
    sort: [{ path: ['id'] }],
    populate: { seo: {}, hero: {}, links: {}, sections: {}, aside: {}, owner: { manager: {} }, parent: {}, tags: {} },
    page,
  }),
  tuned: {
    setup: 'create index page_id on page (id)',
    ids: 'select id from page indexed by page_id order by id',
    count: 'select count(*) from page',
  },
});
