import { query } from '../../query.ts';

export const linksRange = query({
  name: 'links-range',
  content: 'links',
  label: 'two ranges, sorted',
  title: 'tempo between, plays at least, sorted by loudness',
  http: 'page of 25',
  draw: (random) => {
    const from = random.decimal(60, 180, 2);
    return { from, to: from + 15, plays: Math.floor(Math.exp(random.decimal(2, 12, 6))) };
  },
  find: ({ from, to, plays }) => ({
    type: 'track',
    where: {
      and: [
        { path: ['tempo'], operator: 'between', value: [from, to] },
        { path: ['plays'], operator: 'gte', value: plays },
      ],
    },
    sort: [{ path: ['loudness'], descending: true }],
  }),
  tuned: {
    setup: `create index range_page on track (loudness desc, id, tempo, plays);
      create index range_count on track (tempo, plays)`,
    ids: `select id from track indexed by range_page where tempo between :from and :to and plays >= :plays
      order by loudness desc, id`,
    count: `select count(*) from track indexed by range_count where tempo between :from and :to and plays >= :plays`,
  },
});
