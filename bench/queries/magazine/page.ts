import { defaultPageSize, query } from '../../query.ts';

export const page = query({
  name: 'page',
  content: 'magazine',
  label: 'populated page',
  title: 'no filter, page 100-300, author with team, categories',
  draw: (random, rows) => {
    const last = Math.min(300, Math.floor(rows.type('article').length / defaultPageSize));
    return { page: random.integer(Math.max(1, Math.floor(last / 3)), last) };
  },
  find: ({ page }) => ({
    type: 'article',
    sort: [{ path: ['id'] }],
    populate: { author: { team: {} }, categories: {} },
    page,
  }),
  tuned: {
    setup: 'create index if not exists article_id on article (id)',
    ids: 'select id from article indexed by article_id order by id',
    count: 'select count(*) from article',
  },
});
