/** Wide entries with components, dynamic zones and long JSON. */
import { blocks } from './blocks.ts';
import { CITIES } from './cities.ts';
import { type Collections, documentId, EntryRandom, writeCollections } from './collections.ts';
import { DAY, day, HOUR, iso, LAST_DAY } from './dates.ts';
import { person } from './names.ts';
import { AUDIENCES, components, definitions, LAYOUTS, REGIONS, TONES } from './pages-model.ts';
import { words } from './text.ts';
import { KINDS } from './tongue.ts';
import { TOPICS } from './topics.ts';
import type { Summary } from './write-folder.ts';
import { body, lead, subject, title } from './writing.ts';

const ROLES = words('editor, designer, lawyer, engineer, writer, manager');
const ICONS = words('lamp, map, key, boat, bell, book');
const SOURCES = words('import, editor, feed, archive');
const FIELDS = words('title, summary, body, seo, sections, tags');
const SECTIONS = words('text, text, quote, table, cards, teaser');
const ASIDES = words('quote, cards, embed');

type Counts = Record<keyof typeof definitions, number>;

/** Pages of a company's site: some 40 attributes, components, two dynamic zones and JSON, some 7 KB each. */
export function writePages(folder: string, entries: number, seed: number): Summary {
  const people = Math.max(20, Math.round(entries / 25));
  const tags = Math.min(400, Math.max(12, Math.round(entries / 50)));
  const counts = { person: people, tag: tags, page: entries - people - tags };
  return writeCollections(folder, seed, { components, definitions, counts, makers });
}

const makers: Collections<keyof Counts>['makers'] = {
  person: (random, index) => ({
    name: person(random).full,
    role: random.pick(ROLES),
    city: random.pick(CITIES).name.en,
    phone: random.maybe(0.7, () => `+351 ${random.integer(200_000_000, 299_999_999)}`),
    email: `person-${index + 1}@pages.example`,
    motto: random.maybe(0.5, () => sentence(random)),
    level: random.integer(1, 9),
    joined: day(LAST_DAY - random.integer(0, 6000) * DAY),
    manager: index === 0 ? null : documentId('person', random.integer(0, Math.floor(index / 6))),
  }),
  tag: (random, index) => ({
    name: `${TOPICS[index % TOPICS.length].en} ${Math.floor(index / TOPICS.length) + 1}`,
    slug: `tag-${index + 1}`,
    colour: colourOf(random),
    weight: random.integer(1, 1000),
  }),
  page: pageOf,
};

function pageOf(random: EntryRandom, index: number, counts: Counts): object {
  const about = subjectOf(random);
  const heading = title(about, 'en', random);
  const pageId = () => documentId('page', random.integer(0, counts.page - 1));
  return {
    title: heading,
    slug: `page-${index + 1}`,
    navTitle: heading.slice(0, 24),
    kicker: random.maybe(0.6, () => about.topic.en),
    path: `/${about.city.country.toLowerCase()}/${about.topic.en}/page-${index + 1}`,
    icon: random.pick(ICONS),
    colour: colourOf(random),
    source: random.pick(SOURCES),
    hash: random.hexadecimal(4),
    externalId: random.maybe(0.8, () => random.hexadecimal(2)),
    summary: sentence(random),
    note: random.maybe(0.4, () => sentence(random)),
    teaser: random.maybe(0.7, () => sentence(random)),
    intro: paragraphs(random, 2),
    body: blocks(body(about, 'en', random, 'short'), random),
    contact: random.maybe(0.5, () => `desk-${random.integer(1, 40)}@pages.example`),
    weight: random.integer(0, 1_000_000),
    revision: random.integer(1, 90),
    width: random.integer(320, 2400),
    height: random.integer(200, 9000),
    readingSeconds: random.integer(10, 2400),
    views: String(Math.floor(Math.exp(random.next() * 18))),
    priority: random.decimal(0, 10, 3),
    budget: random.maybe(0.6, () => random.decimal(100, 90_000, 2)),
    score: random.maybe(0.9, () => random.next() * 100),
    reviewedOn: random.maybe(0.8, () => day(LAST_DAY - random.integer(0, 4000) * DAY)),
    embargo: random.maybe(0.1, () => day(LAST_DAY + random.integer(1, 200) * DAY)),
    expiresAt: random.maybe(0.3, () => iso(LAST_DAY + random.integer(1, 20_000) * HOUR)),
    sendAt: random.maybe(0.5, () => `${random.integer(10, 23)}:${random.integer(10, 59)}:00`),
    inMenu: random.chance(0.3),
    indexable: random.chance(0.9),
    comments: random.chance(0.5),
    sponsored: random.chance(0.08),
    settings: settingsOf(random),
    history: Array.from({ length: random.integer(6, 24) }, () => changeOf(random)),
    audience: random.pick(AUDIENCES),
    tone: random.pick(TONES),
    region: random.maybe(0.95, () => random.pick(REGIONS)),
    layout: random.pick(LAYOUTS),
    seo: random.maybe(0.9, () => seoOf(random, heading)),
    hero: random.maybe(0.6, () =>
      random.component({ heading, text: sentence(random), link: random.maybe(0.7, () => linkOf(random)) }),
    ),
    links: random.list(0, 6, () => linkOf(random)),
    sections: random.list(2, 6, () => sectionOf(random, random.pick(SECTIONS), counts)),
    aside: random.list(0, 2, () => sectionOf(random, random.pick(ASIDES), counts)),
    owner: random.maybe(0.97, () => documentId('person', random.popular(counts.person))),
    parent: index < 12 ? null : documentId('page', random.rank(Math.min(index, 2000))),
    tags: random.distinct(0, 5, () => documentId('tag', random.popular(counts.tag))),
    related: random.distinct(0, 3, pageId),
  };
}

function sectionOf(random: EntryRandom, kind: string, counts: Counts): object {
  const heading = headingOf(random);
  const parts: Record<string, () => object> = {
    text: () => ({ heading, body: paragraphs(random, random.integer(3, 9)) }),
    quote: () => ({ text: sentence(random), person: documentId('person', random.popular(counts.person)) }),
    table: () => ({ caption: heading, rows: random.list(3, 12, () => rowOf(random)) }),
    cards: () => ({ heading, cards: random.list(2, 4, () => cardOf(random)) }),
    teaser: () => ({ heading, pages: random.distinct(1, 3, () => documentId('page', random.popular(counts.page))) }),
    embed: () => ({
      provider: random.pick(['video', 'map', 'sound']),
      code: `<iframe src="https://media.pages.example/${random.hexadecimal(2)}?a=1&b=2" title="${heading}"></iframe>`,
      options: { autoplay: random.chance(0.2), start: random.integer(0, 90), captions: ['en', 'fr'] },
    }),
  };
  return random.component({ __component: `section.${kind}`, ...parts[kind]() });
}

function seoOf(random: EntryRandom, heading: string): object {
  return random.component({
    metaTitle: heading,
    metaDescription: sentence(random),
    canonical: random.maybe(0.3, () => `https://pages.example/${random.hexadecimal(2)}`),
    noIndex: random.chance(0.05),
    priority: random.integer(1, 100),
    networks: random.list(0, 2, () => {
      const network = random.pick(['mastodon', 'bluesky']);
      return random.component({ network, title: heading, description: sentence(random) });
    }),
  });
}

function cardOf(random: EntryRandom): object {
  const link = random.maybe(0.6, () => linkOf(random));
  return random.component({ heading: headingOf(random), icon: random.pick(ICONS), text: sentence(random), link });
}

function linkOf(random: EntryRandom): object {
  const url = `https://pages.example/${random.hexadecimal(1)}`;
  return random.component({ label: headingOf(random), url, external: random.chance(0.5) });
}

function rowOf(random: EntryRandom): object {
  const amount = random.decimal(0, 9000, 2);
  return { city: random.pick(CITIES).name.en, topic: headingOf(random), year: random.integer(1961, 2026), amount };
}

function headingOf(random: EntryRandom): string {
  return random.pick(TOPICS).en;
}

let sentences: string[] | undefined;

/** Sentences take long to write, so pages share them. */
function sentence(random: EntryRandom): string {
  sentences ??= Array.from({ length: 4000 }, (_, index) => {
    const own = new EntryRandom(1, 'sentence', index);
    return lead(subjectOf(own), 'en', own);
  });
  return random.pick(sentences);
}

function paragraphs(random: EntryRandom, count: number): string {
  return Array.from({ length: count }, () => sentence(random)).join('\n\n');
}

function settingsOf(random: EntryRandom): object {
  return {
    theme: {
      colour: colourOf(random),
      accent: colourOf(random),
      dark: random.chance(0.3),
      scale: random.integer(80, 130),
    },
    layout: {
      columns: random.integer(1, 4),
      gaps: [random.integer(4, 40), random.integer(4, 40)],
      sticky: random.chance(0.5),
    },
    experiments: random.list(0, 4, () => ({ id: random.hexadecimal(1), share: random.decimal(0, 1, 3), end: null })),
    access: { groups: random.sample(AUDIENCES, random.integer(0, 3)), from: null, until: null },
  };
}

function changeOf(random: EntryRandom): object {
  return {
    at: iso(LAST_DAY - random.integer(1, 50_000) * HOUR),
    by: `person-${random.integer(1, 400)}`,
    field: random.pick(FIELDS),
    from: random.hexadecimal(2),
    to: random.hexadecimal(2),
  };
}

function subjectOf(random: EntryRandom) {
  return subject(random, random.pick(KINDS), random.integer(0, TOPICS.length - 1));
}

function colourOf(random: EntryRandom): string {
  return `#${random.hexadecimal(1).slice(0, 6)}`;
}
