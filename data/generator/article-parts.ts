/** Components as they stand in articles and on the homepage. */
import { distinct, type Random } from './random.ts';
import { titleCase, words } from './text.ts';
import { TOPICS } from './topics.ts';
import { anyArticle, anyAuthor, anyFile, anyPlace, type World } from './world.ts';

export function seo(world: World, random: Random, heading: string): object {
  return {
    metaTitle: heading.slice(0, 60).trimEnd(),
    metaDescription: random.maybe(0.7, () => `${heading} – slow reports, four times a year.`),
    noIndex: random.maybe(0.5, () => random.chance(0.1)),
    shareImage: random.maybe(0.6, () => anyFile(world, random)),
    social: random.chance(0.5)
      ? [
          { network: 'mastodon', title: `${heading} 🏮`, image: null },
          { network: 'bluesky', title: null, image: anyFile(world, random) },
        ].slice(0, random.integer(1, 2))
      : [],
  };
}

export function credits(world: World, random: Random): object[] {
  const roles = random.sample(words('words, pictures, drawings, research, fact-checking'), 3);
  return random.chance(0.25)
    ? roles.slice(0, random.integer(1, 3)).map((role) => ({
        role,
        person: random.maybe(0.85, () => anyAuthor(world, random)),
        note: random.maybe(0.2, () => 'at our own risk'),
      }))
    : [];
}

/** A dynamic zone: empty in two articles out of three. */
export function parts(world: World, random: Random, speaker: string): object[] {
  if (random.chance(0.66)) return [];
  const makers = [quote, picture, gallery, factBox, recommendation, places, embed, note];
  return Array.from({ length: random.integer(1, 3) }, () => random.pick(makers)(world, random, speaker));
}

const QUOTES = [
  'A lamp is a way of staying.',
  'You can’t argue with a tide table.',
  'He said "tomorrow" the way others say "never".',
  'Every map is a letter to somebody who is lost.',
  'The soup was hot, the chair was dry, and the rest is literature.',
  'We do not close. We rest our eyes.',
  'Nothing is as expensive as a cheap roof.',
];

export function quote(world: World, random: Random, speaker = 'A reader'): object {
  return {
    __component: 'block.quote',
    text: random.pick(QUOTES),
    attribution: random.maybe(0.7, () => speaker),
    person: random.maybe(0.4, () => anyAuthor(world, random)),
  };
}

function picture(world: World, random: Random): object {
  return {
    __component: 'block.picture',
    image: random.maybe(0.95, () => anyFile(world, random)),
    caption: random.maybe(0.8, () => random.pick(CAPTIONS)),
    width: random.maybe(0.7, () => random.pick(['column', 'wide', 'full'])),
  };
}

const CAPTIONS = [
  'The same corner, a year later.',
  'Left to right: nobody remembers.',
  'Before the rain ☔️',
  'Photograph: “Studio Nord”, undated',
  'The third step, with the brass line.',
  'Waiting for the kettle 🫖',
];

function gallery(world: World, random: Random): object {
  return {
    __component: 'block.gallery',
    title: random.maybe(0.6, () =>
      random.pick(['Six views of a door', 'By lamplight', 'From the archive', 'Off season']),
    ),
    images: random.chance(0.9) ? distinct(random.integer(2, 4), () => anyFile(world, random)) : [],
  };
}

function factBox(_world: World, random: Random): object {
  const facts = [
    { label: 'Open since', value: String(random.integer(1794, 1989)) },
    { label: 'Steps', value: String(random.integer(21, 311)) },
    { label: 'Nearest kettle', value: `${random.integer(2, 90)} m` },
    { label: 'Best season', value: random.pick(['spring', 'late autumn', 'any Tuesday']) },
    { label: 'Admission', value: null },
  ];
  return {
    __component: 'block.fact-box',
    heading: random.maybe(0.8, () => random.pick(['In numbers', 'Good to know', 'For the curious'])),
    facts: random.chance(0.95) ? random.sample(facts, random.integer(2, 4)) : [],
  };
}

export function recommendation(world: World, random: Random): object {
  return {
    __component: 'block.recommendation',
    heading: random.maybe(0.7, () => random.pick(['Read on', 'From the same desk', 'If you liked the ferry'])),
    articles: random.chance(0.95) ? distinct(random.integer(1, 3), () => anyArticle(world, random)) : [],
  };
}

function places(world: World, random: Random): object {
  return {
    __component: 'block.places',
    heading: random.maybe(0.7, () => random.pick(['Where we ate', 'Beds for the night', 'On the way'])),
    places: random.chance(0.95) ? distinct(random.integer(1, 3), () => anyPlace(world, random)) : [],
  };
}

function embed(_world: World, random: Random): object {
  const clip = random.integer(1000, 9999);
  return {
    __component: 'block.embed',
    provider: random.pick(['video', 'sound', 'map']),
    code: `<iframe src="https://media.lantern.example/${clip}?a=1&b='2'" title="Clip \\ ${clip}"></iframe>`,
    options: random.maybe(0.6, () => ({ autoplay: false, start: random.integer(0, 90), captions: ['en', 'fr'] })),
  };
}

function note(_world: World, random: Random): object {
  const topic = titleCase(random.pick(TOPICS).en);
  return {
    __component: 'block.note',
    body: random.maybe(
      0.95,
      () => `**${topic}** were last in these pages in *${random.integer(2006, 2025)}*.\n\n> See also: the index.`,
    ),
    signed: random.maybe(0.5, () => random.pick(['— Ed.', '— the night desk', '—\u00a0Korrektorat'])),
  };
}
