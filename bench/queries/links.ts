import { type Query, query } from '../query.ts';
import { covered, descending, is, populatedPage, relatedSort, twoFields, uniqueValue, wordSearch } from './shapes.ts';

/** Queries of small entries with many relations. */

const content = 'links';

const range = query({
  name: 'links-range',
  content,
  label: 'two ranges, sorted',
  title: 'tempo between, plays at least, sorted by loudness',
  http: 'page of 25',
  draw: (random) => {
    const from = random.decimal(60, 180, 2);
    return { from, to: from + 15, plays: Math.floor(Math.exp(random.decimal(2, 12, 6))) };
  },
  find: ({ from, to, plays }) => ({
    type: 'track',
    where: { and: [is('tempo', 'between', [from, to]), is('plays', 'gte', plays)] },
    sort: descending('loudness'),
  }),
  tuned: covered({
    type: 'track',
    where: 'tempo between :from and :to and plays >= :plays',
    order: 'loudness desc, id',
    page: 'loudness desc, id, tempo, plays',
    count: 'tempo, plays',
  }),
});

const artists = `select artist.id from label join artist on artist.label_id = label.id
  where label.country = :country and artist.followers >= :followers`;

const deep = query({
  name: 'links-deep',
  content,
  label: 'two relations deep, sorted',
  title: 'artist.label.country, artist.followers at least, sorted by day',
  draw: (random, rows) => ({
    country: random.pick(rows.type('label')).country as string,
    followers: Math.floor(Math.exp(random.decimal(1, 13, 6))),
  }),
  find: ({ country, followers }) => ({
    type: 'track',
    where: { and: [is('artist.label.country', 'eq', country), is('artist.followers', 'gte', followers)] },
    sort: descending('recorded'),
  }),
  tuned: {
    setup: `create index deep_page on track (recorded desc, id, artist_id);
      create index label_country on label (country)`,
    ids: `select id from track indexed by deep_page where artist_id in (${artists}) order by recorded desc, id`,
    count: `select count(*) from track where artist_id in (${artists})`,
  },
});

const similar = query({
  name: 'links-similar',
  content,
  label: 'many-to-many, range, sorted',
  title: 'similar to a track by an artist of 2 countries, seconds between, sorted by plays, page 3',
  draw: (random, rows) => {
    const countries = [1, 2].map(() => random.pick(rows.type('artist')).country as string);
    const from = random.integer(40, 600);
    return { countries: [...new Set(countries)], from, to: from + 200 };
  },
  find: ({ countries, from, to }) => ({
    type: 'track',
    where: { and: [is('similar.artist.country', 'in', countries), is('seconds', 'between', [from, to])] },
    sort: descending('plays'),
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

const everyRelation = { album: { artist: {} }, artist: {}, guest: {}, genres: {}, similar: {} };

export const linksQueries: Query[] = [
  uniqueValue({ name: 'links-code', content }, 'track', 'code'),
  range,
  deep,
  similar,
  populatedPage(
    { name: 'links-page', content, title: 'no filter, pages 1-300, all five relations, with the artist of the album' },
    'track',
    everyRelation,
    (random, tracks) => random.integer(1, Math.min(300, Math.floor(tracks.length / 25))),
  ),
  twoFields(
    { name: 'links-fields', content },
    'track',
    { at: 'tempo', fields: ['title', 'tempo'], order: 'plays', pages: 30 },
    (random) => random.decimal(60, 180, 2),
  ),
  relatedSort(
    {
      name: 'links-artist-sort',
      content,
      title: 'loudness at least, sorted by the name of the artist and title, page 2',
    },
    'track',
    { at: 'loudness', operator: 'gte', relation: 'artist', target: 'artist', ties: ['title'], isOptional: false },
    (random) => random.decimal(-29, -1, 3),
  ),
  wordSearch(
    { name: 'links-search', content, title: '_q: a word and the first 3 letters of the next one, sorted by id' },
    'track',
    'title, code, mood, "key"',
    (random, rows) => {
      const title = (random.pick(rows.type('track')).title as string).toLowerCase();
      return title.slice(0, title.indexOf(' ') + 4);
    },
  ),
];
