import { query } from '../../query.ts';
import { filteredPage, kinds } from './drawing.ts';

export const fields = query({
  name: 'fields',
  content: 'magazine',
  label: 'two fields of a page',
  title: 'kind, only title and rating, sorted by day, pages 1-30',
  draw: (random, rows) => ({ kind: random.pick(kinds(rows)), page: filteredPage(random, rows) }),
  find: ({ kind, page }) => ({
    type: 'article',
    where: { path: ['kind'], operator: 'eq', value: kind },
    fields: ['title', 'rating'],
    sort: [{ path: ['publishedOn'], descending: true }],
    page,
  }),
  tuned: {
    setup: `create index if not exists fields_page on article (kind, publishedOn desc, id);
      create index if not exists article_kind on article (kind)`,
    ids: 'select id from article indexed by fields_page where kind = :kind order by publishedOn desc, id',
    count: 'select count(*) from article indexed by article_kind where kind = :kind',
  },
});
