import { type Query, query } from '../query.ts';
import {
  ascending,
  covered,
  descending,
  is,
  populatedPage,
  relatedSort,
  twoFields,
  uniqueValue,
  wordSearch,
} from './shapes.ts';

/** Queries of wide entries with components, dynamic zones and long JSON. */

const content = 'pages';

/** Descending with nulls first, so that an index gives the order. */
const scoreOrder = 'ifnull(score, 1e9) desc';

const range = query({
  name: 'pages-range',
  content,
  label: 'two ranges, sorted',
  title: 'priority between, weight at least, sorted by score',
  http: 'page of 25',
  draw: (random) => {
    const from = random.decimal(0, 8, 3);
    return { from, to: from + 2, weight: random.integer(0, 800_000) };
  },
  find: ({ from, to, weight }) => ({
    type: 'page',
    where: { and: [is('priority', 'between', [from, to]), is('weight', 'gte', weight)] },
    sort: descending('score'),
  }),
  tuned: covered({
    type: 'page',
    where: 'priority between :from and :to and weight >= :weight',
    order: `${scoreOrder}, id`,
    page: `${scoreOrder}, id, priority, weight`,
    count: 'priority, weight',
  }),
});

const parents = `select parent.id from person join page as parent on parent.owner_id = person.id
  where person.city = :city and parent.weight >= :weight`;

const deep = query({
  name: 'pages-deep',
  content,
  label: 'two relations deep, sorted',
  title: 'parent.owner.city, parent.weight at least, sorted by day of review',
  draw: (random, rows) => ({
    city: random.pick(rows.type('person')).city as string,
    weight: random.integer(0, 600_000),
  }),
  find: ({ city, weight }) => ({
    type: 'page',
    where: { and: [is('parent.owner.city', 'eq', city), is('parent.weight', 'gte', weight)] },
    sort: descending('reviewedOn'),
  }),
  tuned: {
    setup: `create index deep_match on page (parent_id, reviewedOn, id);
      create index person_city on person (city)`,
    ids: `select id from page indexed by deep_match where parent_id in (${parents})
      order by reviewedOn desc nulls first, id`,
    count: `select count(*) from page indexed by deep_match where parent_id in (${parents})`,
  },
});

const component = query({
  name: 'pages-component',
  content,
  label: 'inside a component, sorted',
  title: 'seo.priority at least, revision below, sorted by title, with seo',
  draw: (random) => ({ priority: random.integer(1, 95), revision: random.integer(5, 90) }),
  find: ({ priority, revision }) => ({
    type: 'page',
    where: { and: [is('seo.priority', 'gte', priority), is('revision', 'lt', revision)] },
    sort: ascending('title'),
    populate: { seo: {} },
  }),
  tuned: covered({
    type: 'page',
    where: 'seoPriority >= :priority and revision < :revision',
    order: 'title, id',
    page: 'title, id, seoPriority, revision',
    count: 'seoPriority, revision',
    before: `alter table page add column seoPriority integer;
      update page set seoPriority = json_extract(seo, '$.priority')`,
  }),
});

const everything = {
  seo: {},
  hero: {},
  links: {},
  sections: {},
  aside: {},
  owner: { manager: {} },
  parent: {},
  tags: {},
};

const texts = `title, slug, navTitle, kicker, path, icon, colour, source, hash, externalId, summary, note, teaser, intro,
  contact, audience, tone, region, layout`;

export const pagesQueries: Query[] = [
  uniqueValue({ name: 'pages-slug', content }, 'page', 'slug'),
  range,
  deep,
  component,
  populatedPage(
    { name: 'pages-whole', content, title: 'no filter, all pages, components, zones and relations' },
    'page',
    everything,
    (random, pages) => random.integer(1, Math.floor(pages.length / 25)),
  ),
  twoFields(
    { name: 'pages-fields', content },
    'page',
    { at: 'width', fields: ['title', 'path'], order: 'weight', pages: 10 },
    (random) => random.integer(320, 2200),
  ),
  relatedSort(
    {
      name: 'pages-owner-sort',
      content,
      title: 'height at least, sorted by the name of the owner and title, page 2',
    },
    'page',
    { at: 'height', operator: 'gte', relation: 'owner', target: 'person', ties: ['title'], isOptional: true },
    (random) => random.integer(200, 8800),
  ),
  wordSearch(
    { name: 'pages-search', content, title: '_q: two words of a title in any text attribute, sorted by id' },
    'page',
    texts,
    (random, rows) => {
      for (;;) {
        const words = (random.pick(rows.type('page')).title as string).toLowerCase().split(' ');
        const start = random.integer(0, words.length - 1);
        const text = words.slice(start, start + 2).join(' ');
        if (/^[a-z]{2,} [a-z]{2,}$/.test(text)) return text;
      }
    },
  ),
];
