import { query } from '../../query.ts';
import { filteredPage, kinds, ratingOrder } from './drawing.ts';

export const local = query({
  name: 'local',
  content: 'magazine',
  label: 'one attribute, sorted',
  title: 'kind, sorted by rating, pages 1-30: what the deep filters are compared with',
  outsideMeans: true,
  draw: (random, rows) => ({ kind: random.pick(kinds(rows)), page: filteredPage(random, rows) }),
  find: ({ kind, page }) => ({
    type: 'article',
    where: { path: ['kind'], operator: 'eq', value: kind },
    sort: [{ path: ['rating'], descending: true }],
    page,
  }),
  tuned: {
    setup: `create index if not exists local_page on article (kind, ${ratingOrder}, id);
      create index if not exists article_kind on article (kind)`,
    ids: `select id from article indexed by local_page where kind = :kind order by ${ratingOrder}, id`,
    count: 'select count(*) from article indexed by article_kind where kind = :kind',
  },
});
