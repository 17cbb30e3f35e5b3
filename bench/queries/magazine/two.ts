import { query } from '../../query.ts';

export const two = query({
  name: 'two',
  content: 'magazine',
  label: 'two conditions, sorted',
  title: 'rating at least, published up to a day, sorted by day',
  http: 'page of 25',
  draw: (random, rows) => ({
    rating: random.decimal(3.5, 4.5, 1),
    day: random.pick(rows.type('article')).publishedOn as string,
  }),
  find: ({ rating, day }) => ({
    type: 'article',
    where: {
      and: [
        { path: ['rating'], operator: 'gte', value: rating },
        { path: ['publishedOn'], operator: 'lte', value: day },
      ],
    },
    sort: [{ path: ['publishedOn'], descending: true }],
  }),
  tuned: {
    setup: `create index if not exists two_page on article (publishedOn desc, id, rating);
      create index if not exists two_count on article (rating, publishedOn)`,
    ids: `select id from article indexed by two_page where rating >= :rating and publishedOn <= :day
      order by publishedOn desc, id`,
    count: 'select count(*) from article indexed by two_count where rating >= :rating and publishedOn <= :day',
  },
});
