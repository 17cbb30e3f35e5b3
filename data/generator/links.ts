/** Small entries with many relations. */

import { attributes, type Collections, collection, documentId, relation, writeCollections } from './collections.ts';
import { DAY, day, LAST_DAY } from './dates.ts';
import { person } from './names.ts';
import { Random } from './random.ts';
import { words } from './text.ts';
import type { Summary } from './write-folder.ts';

const KEYS = words('C, Cm, D, Dm, E, Em, F, Fm, G, Gm, A, Am, B, Bm');
const MOODS = words('calm, bright, restless, warm, dark, dry, solemn, playful, tense, dreamy, raw, tender');
const COUNTRIES = words(
  'PT, ES, FR, DE, IT, PL, SE, NO, TR, EG, JP, KR, VN, SN, KE, IN, GB, IE, GR, GE, BR, CL, MX, CA',
);
const GENRES = words(
  'Fado, Waltz, Dub, Choral, House, Polka, Folk, Jazz, Techno, Tango, Soul, March, Drone, Pop, Rock',
);
const ADJECTIVES = words(`
  Slow, Borrowed, Northern, Paper, Second, Silver, Quiet, Last, Hollow, Amber, Distant, Crooked, Winter, Open, Salt
  Velvet, Broken, Early, Idle, Copper, Lost, Green, Sudden, Patient, Narrow, Blue, Wooden, Electric, Hidden, Late
`);
const NOUNS = words(`
  Harbour, Lantern, Ferry, Orchard, Engine, Kettle, Mirror, River, Staircase, Compass, Window, Signal, Garden, Tide
  Letter, Thunder, Bridge, Feather, Market, Shadow, Clock, Meadow, Anchor, Carousel, Furnace, Glacier, Pocket, Rooftop
  Sparrow, Telegraph, Umbrella, Valley, Whistle, Avenue, Beacon, Cathedral, Dust, Echo, Frost, Granite
`);

type Counts = Record<'genre' | 'label' | 'artist' | 'album' | 'track', number>;

/** Tracks of music: ten short attributes and five relations each, some 570 bytes of JSON. */
export function writeLinks(folder: string, entries: number, seed: number): Summary {
  return writeCollections(folder, seed, { components: {}, definitions, counts: countsOf(entries), makers });
}

/** Tracks take what the others leave, seven eighths of all entries. */
function countsOf(entries: number): Counts {
  const share = (part: number, least: number) => Math.max(least, Math.round(entries / part));
  const others = {
    genre: Math.min(120, share(400, 8)),
    label: share(400, 6),
    artist: share(25, 20),
    album: share(12, 40),
  };
  return { ...others, track: entries - Object.values(others).reduce((sum, count) => sum + count) };
}

const definitions = {
  genre: collection('genre', 'genres', {
    ...attributes({ string: 'name slug', integer: 'rank' }),
    parent: relation('manyToOne', 'genre'),
    tracks: relation('manyToMany', 'track', { mappedBy: 'genres' }),
  }),
  label: collection('label', 'labels', {
    ...attributes({ string: 'name country', integer: 'founded', decimal: 'share' }),
    albums: relation('oneToMany', 'album', { mappedBy: 'label' }),
  }),
  artist: collection('artist', 'artists', {
    ...attributes({ string: 'name slug country', integer: 'followers', decimal: 'score', boolean: 'active' }),
    label: relation('manyToOne', 'label'),
    genre: relation('manyToOne', 'genre'),
    influences: relation('manyToMany', 'artist'),
    albums: relation('oneToMany', 'album', { mappedBy: 'artist' }),
    tracks: relation('oneToMany', 'track', { mappedBy: 'artist' }),
  }),
  album: collection('album', 'albums', {
    ...attributes({ string: 'title catalogue', integer: 'discs sales', date: 'released', decimal: 'rating' }),
    artist: relation('manyToOne', 'artist', { inversedBy: 'albums' }),
    label: relation('manyToOne', 'label', { inversedBy: 'albums' }),
    tracks: relation('oneToMany', 'track', { mappedBy: 'album' }),
  }),
  track: collection('track', 'tracks', {
    ...attributes({ string: 'title code mood', integer: 'seconds plays', decimal: 'tempo loudness' }),
    key: { type: 'enumeration', enum: KEYS },
    ...attributes({ date: 'recorded', boolean: 'live' }),
    album: relation('manyToOne', 'album', { inversedBy: 'tracks' }),
    artist: relation('manyToOne', 'artist', { inversedBy: 'tracks' }),
    guest: relation('manyToOne', 'artist'),
    genres: relation('manyToMany', 'genre', { inversedBy: 'tracks' }),
    similar: relation('manyToMany', 'track'),
  }),
};

const makers: Collections<keyof Counts>['makers'] = {
  genre: (random, index) => ({
    name: `${ADJECTIVES[index % ADJECTIVES.length]} ${GENRES[Math.floor(index / 7) % GENRES.length]}`,
    slug: `genre-${index + 1}`,
    rank: random.integer(1, 1000),
    parent: index < 8 ? null : documentId('genre', random.integer(0, 7)),
  }),
  label: (random) => ({
    name: `${random.pick(NOUNS)} ${random.pick(['Records', 'Music', 'Sound', 'Tapes'])}`,
    country: random.pick(COUNTRIES),
    founded: random.integer(1921, 2024),
    share: random.decimal(0, 12, 3),
  }),
  artist: (random, index, counts) => ({
    name: person(random).full,
    slug: `artist-${index + 1}`,
    country: random.pick(COUNTRIES),
    followers: Math.floor(Math.exp(random.next() * 17)),
    score: random.decimal(0, 100, 2),
    active: random.chance(0.7),
    label: random.maybe(0.8, () => documentId('label', random.popular(counts.label))),
    genre: documentId('genre', random.popular(counts.genre)),
    influences: random.distinct(0, 3, () => documentId('artist', random.popular(counts.artist))),
  }),
  album: (random, index, counts) => ({
    title: titleOf(random),
    catalogue: `${random.pick(NOUNS).slice(0, 3).toUpperCase()}-${1000 + index}`,
    discs: random.integer(1, 3),
    sales: Math.floor(Math.exp(random.next() * 15)),
    released: day(LAST_DAY - random.integer(0, 20_000) * DAY),
    rating: random.maybe(0.85, () => random.decimal(1, 5, 2)),
    artist: documentId('artist', artistOf(index, counts)),
    label: random.maybe(0.95, () => documentId('label', random.popular(counts.label))),
  }),
  track: (random, index, counts) => {
    const album = Math.floor((index / counts.track) * counts.album);
    return {
      title: titleOf(random),
      code: `${random.pick(['GB', 'FR', 'PT', 'JP'])}${(1e9 + index * 7).toString(36)}`,
      mood: random.maybe(0.9, () => random.pick(MOODS)),
      seconds: random.integer(40, 900),
      plays: Math.floor(Math.exp(random.next() * 16)),
      tempo: random.maybe(0.95, () => random.decimal(60, 200, 2)),
      loudness: random.decimal(-30, 0, 3),
      key: random.pick(KEYS),
      recorded: day(LAST_DAY - random.integer(0, 20_000) * DAY),
      live: random.chance(0.2),
      album: documentId('album', album),
      artist: documentId('artist', artistOf(album, counts)),
      guest: random.maybe(0.3, () => documentId('artist', random.popular(counts.artist))),
      genres: random.distinct(1, 3, () => documentId('genre', random.popular(counts.genre))),
      similar: random.distinct(2, 4, () => documentId('track', random.integer(0, counts.track - 1))),
    };
  },
};

/** The artist of an album, who is the artist of its tracks too. A few artists have many albums. */
function artistOf(album: number, { artist }: Counts): number {
  return new Random(7, 'artist of album', album).popular(artist);
}

function titleOf(random: Random): string {
  return `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}${random.chance(0.5) ? ` ${random.pick(NOUNS)}` : ''}`;
}
