import { query } from '../../query.ts';

export const linksSimilar = query({
  name: 'links-similar',
  content: 'links',
  label: 'many-to-many, range, sorted',
  title: 'similar to a track by an artist of 2 countries, seconds between, sorted by plays, page 3',
  draw: (random, rows) => {
    const countries = [1, 2].map(() => random.pick(rows.type('artist')).country as string);
    const from = random.integer(40, 600);
    return { countries: [...new Set(countries)], from, to: from + 200 };
  },
  find: ({ countries, from, to }) => ({
    type: 'track',
    where: {
      and: [
        { path: ['similar', 'artist', 'country'], operator: 'in', value: countries },
        { path: ['seconds'], operator: 'between', value: [from, to] },
      ],
    },
    sort: [{ path: ['plays'], descending: true }],
    page: 3,
  }),
  tuned: {
    setup: `create index similar_page on track (id, seconds, plays);
      create index artist_country on artist (country)`,
    ids: `select id from track indexed by similar_page where id in (
        select owner_id from artist join track as other on other.artist_id = artist.id
        join track_similar on target_id = other.id
        where artist.country in (select value from json_each(:countries))
      ) and seconds between :from and :to order by plays desc, id`,
  },
});
