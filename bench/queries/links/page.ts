import { query } from '../../query.ts';

export const linksPage = query({
  name: 'links-page',
  content: 'links',
  label: 'populated page',
  title: 'no filter, pages 1-300, all five relations, with the artist of the album',
  draw: (random, rows) => ({ page: random.integer(1, Math.min(300, Math.floor(rows.type('track').length / 25))) }),
  find: ({ page }) => ({
    type: 'track',
    sort: [{ path: ['id'] }],
    populate: { album: { artist: {} }, artist: {}, guest: {}, genres: {}, similar: {} },
    page,
  }),
  tuned: {
    setup: 'create index track_id on track (id)',
    ids: 'select id from track indexed by track_id order by id',
    count: 'select count(*) from track',
  },
});
