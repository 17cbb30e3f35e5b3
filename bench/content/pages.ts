import { blocks } from '../../data/generator/blocks.ts';
import { CITIES } from '../../data/generator/cities.ts';
import { DAY, day, HOUR, iso, LAST_DAY } from '../../data/generator/dates.ts';
import { person } from '../../data/generator/names.ts';
import { Random } from '../../data/generator/random.ts';
import { words } from '../../data/generator/text.ts';
import { KINDS } from '../../data/generator/tongue.ts';
import { TOPICS } from '../../data/generator/topics.ts';
import { writeFolder } from '../../data/generator/write-folder.ts';
import { body, lead, subject, title } from '../../data/generator/writing.ts';
import {
  attributes,
  type Content,
  collection,
  decimal,
  documentId,
  publicRole,
  relation,
  settings,
  system,
} from './content.ts';

/** Pages of a company's site: some 40 attributes, components, two dynamic zones and long JSON, some 10 KB each. */
export const pages: Content = {
  name: 'pages',
  title: 'Pages: wide entries with components, dynamic zones and long JSON',
  main: 'page',
  entries: 10_000,
  write,
  sources: ['data/generator', 'bench/content/content.ts', 'bench/content/pages.ts'],
};

const AUDIENCES = words('customers, partners, press, staff, investors, students');
const TONES = words('plain, formal, warm, technical, playful');
const REGIONS = words('north, south, east, west, islands, abroad');
const ROLES = words('editor, designer, lawyer, engineer, writer, manager');
const ICONS = words('lamp, map, key, boat, bell, book');
const SOURCES = words('import, editor, feed, archive');
const FIELDS = words('title, summary, body, seo, sections, tags');
const LAYOUTS = words('wide, narrow, landing, article, index');

const choice = (values: string[]) => ({ type: 'enumeration', enum: values });
const one = (component: string) => ({ type: 'component', component, repeatable: false });
const many = (component: string) => ({ type: 'component', component, repeatable: true });
const zone = (...components: string[]) => ({ type: 'dynamiczone', components });
const component = (name: string, all: object) => ({ info: { displayName: name }, attributes: all });

const components = {
  'page.link': component('Link', { ...attributes({ string: 'label url', boolean: 'external' }) }),
  'page.network': component('Network', attributes({ string: 'network title', text: 'description' })),
  'page.seo': component('Search engines', {
    ...attributes({ string: 'metaTitle canonical', text: 'metaDescription', boolean: 'noIndex', integer: 'priority' }),
    networks: many('page.network'),
  }),
  'page.hero': component('Hero', { ...attributes({ string: 'heading', text: 'text' }), link: one('page.link') }),
  'page.card': component('Card', { ...attributes({ string: 'heading icon', text: 'text' }), link: one('page.link') }),
  'section.text': component('Text', attributes({ string: 'heading', richtext: 'body' })),
  'section.quote': component('Quote', { ...attributes({ text: 'text' }), person: relation('oneToOne', 'person') }),
  'section.table': component('Table', attributes({ string: 'caption', json: 'rows' })),
  'section.cards': component('Cards', { ...attributes({ string: 'heading' }), cards: many('page.card') }),
  'section.teaser': component('Teaser', { ...attributes({ string: 'heading' }), pages: relation('oneToMany', 'page') }),
  'section.embed': component('Embed', attributes({ string: 'provider', text: 'code', json: 'options' })),
};

const definitions = {
  person: collection('person', 'people', {
    ...attributes({ string: 'name role city phone', email: 'email', text: 'motto', integer: 'level', date: 'joined' }),
    manager: relation('manyToOne', 'person'),
    pages: relation('oneToMany', 'page', { mappedBy: 'owner' }),
  }),
  tag: collection('tag', 'tags', {
    ...attributes({ string: 'name slug colour', integer: 'weight' }),
    pages: relation('manyToMany', 'page', { mappedBy: 'tags' }),
  }),
  page: collection('page', 'pages', {
    ...attributes({ string: 'title slug navTitle kicker path icon colour source hash externalId' }),
    ...attributes({ text: 'summary note teaser', richtext: 'intro', blocks: 'body', email: 'contact' }),
    ...attributes({ integer: 'weight revision width height readingSeconds', biginteger: 'views' }),
    ...attributes({ decimal: 'priority budget', float: 'score', date: 'reviewedOn embargo', datetime: 'expiresAt' }),
    ...attributes({ time: 'sendAt', boolean: 'inMenu indexable comments sponsored', json: 'settings history' }),
    audience: choice(AUDIENCES),
    tone: choice(TONES),
    region: choice(REGIONS),
    layout: choice(LAYOUTS),
    seo: one('page.seo'),
    hero: one('page.hero'),
    links: many('page.link'),
    sections: zone('section.text', 'section.quote', 'section.table', 'section.cards', 'section.teaser'),
    aside: zone('section.quote', 'section.cards', 'section.embed'),
    owner: relation('manyToOne', 'person', { inversedBy: 'pages' }),
    parent: relation('manyToOne', 'page', { inversedBy: 'children' }),
    children: relation('oneToMany', 'page', { mappedBy: 'parent' }),
    tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
    related: relation('manyToMany', 'page'),
  }),
};

interface Counts {
  person: number;
  tag: number;
  page: number;
}

function write(folder: string, entries: number, seed: number): void {
  const person = Math.max(20, Math.round(entries / 25));
  const tag = Math.min(400, Math.max(12, Math.round(entries / 50)));
  const counts: Counts = { person, tag, page: entries - person - tag };
  const names = Object.keys(definitions) as (keyof Counts)[];
  writeFolder(folder, {
    settings,
    roles: publicRole(names),
    components,
    types: names.map((name) => ({
      singularName: name,
      definition: definitions[name],
      entries: entriesOf(name, counts, seed),
    })),
  });
}

function* entriesOf(name: keyof Counts, counts: Counts, seed: number): Generator<object> {
  for (let index = 0; index < counts[name]; index++) {
    const random = new PageRandom(seed, name, index);
    yield { ...system(name, index, random), ...makers[name](random, index, counts) };
  }
}

/** Also numbers the components of an entry, of which there are fewer than 200. */
class PageRandom extends Random {
  #component: number;

  constructor(seed: number, name: string, index: number) {
    super(seed, name, index);
    this.#component = index * 200;
  }

  component(attributes: object): object {
    return { id: ++this.#component, ...attributes };
  }
}

const makers: Record<keyof Counts, (random: PageRandom, index: number, counts: Counts) => object> = {
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

function pageOf(random: PageRandom, index: number, counts: Counts): object {
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
    hash: hexOf(random, 4),
    externalId: random.maybe(0.8, () => hexOf(random, 2)),
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
    priority: decimal(random, 0, 10, 3),
    budget: random.maybe(0.6, () => decimal(random, 100, 90_000, 2)),
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
    links: listOf(random, 0, 6, () => linkOf(random)),
    sections: listOf(random, 2, 6, () => sectionOf(random, random.pick(SECTIONS), counts)),
    aside: listOf(random, 0, 2, () => sectionOf(random, random.pick(ASIDES), counts)),
    owner: random.maybe(0.97, () => documentId('person', random.popular(counts.person))),
    parent: index < 12 ? null : documentId('page', random.rank(Math.min(index, 2000))),
    tags: distinctOf(random, 0, 5, () => documentId('tag', random.popular(counts.tag))),
    related: distinctOf(random, 0, 3, pageId),
  };
}

const SECTIONS = words('text, text, quote, table, cards, teaser');
const ASIDES = words('quote, cards, embed');

function sectionOf(random: PageRandom, kind: string, counts: Counts): object {
  const heading = headingOf(random);
  const parts: Record<string, () => object> = {
    text: () => ({ heading, body: paragraphs(random, random.integer(3, 9)) }),
    quote: () => ({ text: sentence(random), person: documentId('person', random.popular(counts.person)) }),
    table: () => ({ caption: heading, rows: listOf(random, 3, 12, () => rowOf(random)) }),
    cards: () => ({ heading, cards: listOf(random, 2, 4, () => cardOf(random)) }),
    teaser: () => ({ heading, pages: distinctOf(random, 1, 3, () => documentId('page', random.popular(counts.page))) }),
    embed: () => ({
      provider: random.pick(['video', 'map', 'sound']),
      code: `<iframe src="https://media.pages.example/${hexOf(random, 2)}?a=1&b=2" title="${heading}"></iframe>`,
      options: { autoplay: random.chance(0.2), start: random.integer(0, 90), captions: ['en', 'fr'] },
    }),
  };
  return random.component({ __component: `section.${kind}`, ...parts[kind]() });
}

function seoOf(random: PageRandom, heading: string): object {
  return random.component({
    metaTitle: heading,
    metaDescription: sentence(random),
    canonical: random.maybe(0.3, () => `https://pages.example/${hexOf(random, 2)}`),
    noIndex: random.chance(0.05),
    priority: random.integer(1, 100),
    networks: listOf(random, 0, 2, () => {
      const network = random.pick(['mastodon', 'bluesky']);
      return random.component({ network, title: heading, description: sentence(random) });
    }),
  });
}

function cardOf(random: PageRandom): object {
  const link = random.maybe(0.6, () => linkOf(random));
  return random.component({ heading: headingOf(random), icon: random.pick(ICONS), text: sentence(random), link });
}

function linkOf(random: PageRandom): object {
  const url = `https://pages.example/${hexOf(random, 1)}`;
  return random.component({ label: headingOf(random), url, external: random.chance(0.5) });
}

function rowOf(random: Random): object {
  const amount = decimal(random, 0, 9000, 2);
  return { city: random.pick(CITIES).name.en, topic: headingOf(random), year: random.integer(1961, 2026), amount };
}

function headingOf(random: Random): string {
  return random.pick(TOPICS).en;
}

let sentences: string[] | undefined;

/** Sentences take long to write, so pages share them. */
function sentence(random: Random): string {
  sentences ??= Array.from({ length: 4000 }, (_, index) => {
    const own = new Random(1, 'sentence', index);
    return lead(subjectOf(own), 'en', own);
  });
  return random.pick(sentences);
}

function paragraphs(random: Random, count: number): string {
  return Array.from({ length: count }, () => sentence(random)).join('\n\n');
}

function settingsOf(random: Random): object {
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
    experiments: listOf(random, 0, 4, () => ({ id: hexOf(random, 1), share: decimal(random, 0, 1, 3), end: null })),
    access: { groups: random.sample(AUDIENCES, random.integer(0, 3)), from: null, until: null },
  };
}

function changeOf(random: Random): object {
  return {
    at: iso(LAST_DAY - random.integer(1, 50_000) * HOUR),
    by: `person-${random.integer(1, 400)}`,
    field: random.pick(FIELDS),
    from: hexOf(random, 2),
    to: hexOf(random, 2),
  };
}

function subjectOf(random: Random) {
  return subject(random, random.pick(KINDS), random.integer(0, TOPICS.length - 1));
}

function colourOf(random: Random): string {
  return `#${hexOf(random, 1).slice(0, 6)}`;
}

/** So many times eight hexadecimal digits. */
function hexOf(random: Random, words32: number): string {
  const word = () => Math.floor(random.next() * 2 ** 32);
  return Array.from({ length: words32 }, () => word().toString(16).padStart(8, '0')).join('');
}

function listOf(random: Random, least: number, most: number, make: () => object): object[] {
  return Array.from({ length: random.integer(least, most) }, make);
}

function distinctOf(random: Random, least: number, most: number, make: () => string): string[] {
  return [...new Set(Array.from({ length: random.integer(least, most) }, make))];
}
