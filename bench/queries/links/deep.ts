import { query } from '../../query.ts';

const artists = `select artist.id from label join artist on artist.label_id = label.id
  where label.country = :country and artist.followers >= :followers`;

export const linksDeep = query({
  name: 'links-deep',
  content: 'links',
  label: 'two relations deep, sorted',
  title: 'artist.label.country, artist.followers at least, sorted by day',
  draw: (random, rows) => ({
    country: random.pick(rows.type('label')).country as string,
    followers: Math.floor(Math.exp(random.decimal(1, 13, 6))),
  }),
  find: ({ country, followers }) => ({
    type: 'track',
    where: {
      and: [
        { path: ['artist', 'label', 'country'], operator: 'eq', value: country },
        { path: ['artist', 'followers'], operator: 'gte', value: followers },
      ],
    },
    sort: [{ path: ['recorded'], descending: true }],
  }),
  tuned: {
    setup: `create index deep_page on track (recorded desc, id, artist_id);
      create index label_country on label (country)`,
    ids: `select id from track indexed by deep_page where artist_id in (${artists}) order by recorded desc, id`,
    count: `select count(*) from track where artist_id in (${artists})`,
  },
});
