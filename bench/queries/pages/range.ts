import { query } from '../../query.ts';

/** Descending with nulls first, so that an index gives the order. */
const scoreOrder = 'ifnull(score, 1e9) desc';

export const pagesRange = query({
  name: 'pages-range',
  content: 'pages',
  label: 'two ranges, sorted',
  title: 'priority between, weight at least, sorted by score',
  http: 'page of 25',
  draw: (random) => {
    const from = random.decimal(0, 8, 3);
    return { from, to: from + 2, weight: random.integer(0, 800_000) };
  },
  find: ({ from, to, weight }) => ({
    type: 'page',
    where: {
      and: [
        { path: ['priority'], operator: 'between', value: [from, to] },
        { path: ['weight'], operator: 'gte', value: weight },
      ],
    },
    sort: [{ path: ['score'], descending: true }],
  }),
  tuned: {
    setup: `create index range_page on page (${scoreOrder}, id, priority, weight);
      create index range_count on page (priority, weight)`,
    ids: `select id from page indexed by range_page where priority between :from and :to and weight >= :weight
      order by ${scoreOrder}, id`,
    count: `select count(*) from page indexed by range_count where priority between :from and :to and weight >= :weight`,
  },
});
