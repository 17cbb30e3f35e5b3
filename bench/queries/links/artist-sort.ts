import { query } from '../../query.ts';

export const linksArtistSort = query({
  name: 'links-artist-sort',
  content: 'links',
  label: 'sorted through a relation',
  title: 'loudness at least, sorted by the name of the artist and title, page 2',
  draw: (random) => ({ loudness: random.decimal(-29, -1, 3) }),
  find: ({ loudness }) => ({
    type: 'track',
    where: { path: ['loudness'], operator: 'gte', value: loudness },
    sort: [{ path: ['artist', 'name'] }, { path: ['title'] }],
    page: 2,
  }),
  tuned: {
    // the name is copied into the track, as the content is only read
    setup: `alter table track add column artistName text;
      update track set artistName = (select name from artist where artist.id = artist_id);
      create index artist_page on track (artistName, title, id, loudness);
      create index artist_count on track (loudness)`,
    ids: 'select id from track indexed by artist_page where loudness >= :loudness order by artistName, title, id',
    count: 'select count(*) from track indexed by artist_count where loudness >= :loudness',
  },
});
