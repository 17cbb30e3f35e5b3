import { query } from '../../query.ts';

export const linksFields = query({
  name: 'links-fields',
  content: 'links',
  label: 'two fields of a page',
  title: 'tempo at least, only title and tempo, sorted by plays, pages 1-30',
  draw: (random) => ({ tempo: random.decimal(60, 180, 2), page: random.integer(1, 30) }),
  find: ({ tempo, page }) => ({
    type: 'track',
    where: { path: ['tempo'], operator: 'gte', value: tempo },
    fields: ['title', 'tempo'],
    sort: [{ path: ['plays'], descending: true }],
    page,
  }),
  tuned: {
    setup: `create index fields_page on track (plays desc, id, tempo);
      create index fields_count on track (tempo)`,
    ids: 'select id from track indexed by fields_page where tempo >= :tempo order by plays desc, id',
    count: 'select count(*) from track indexed by fields_count where tempo >= :tempo',
  },
});
