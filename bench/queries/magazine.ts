import { defaultPageSize, type Query, query } from '../query.ts';
import { filteredPage, kinds, leagues, wordOf } from './drawing.ts';
import {
  ascending,
  covered,
  descending,
  is,
  populatedPage,
  relatedSort,
  trigrams,
  uniqueValue,
  wordSearch,
} from './shapes.ts';

/** Queries of articles with long texts, drafts and translations. */

const content = 'magazine';

/** Descending with nulls first, so that an index gives the order. */
const ratingOrder = 'ifnull(rating, 1e9) desc';

const two = query({
  name: 'two',
  content,
  label: 'two conditions, sorted',
  title: 'rating at least, published up to a day, sorted by day',
  http: 'page of 25',
  draw: (random, rows) => ({
    rating: random.decimal(3.5, 4.5, 1),
    day: random.pick(rows.type('article')).publishedOn as string,
  }),
  find: ({ rating, day }) => ({
    type: 'article',
    where: { and: [is('rating', 'gte', rating), is('publishedOn', 'lte', day)] },
    sort: descending('publishedOn'),
  }),
  tuned: covered({
    type: 'article',
    where: 'rating >= :rating and publishedOn <= :day',
    order: 'publishedOn desc, id',
    page: 'publishedOn desc, id, rating',
    count: 'rating, publishedOn',
  }),
});

const local = query({
  name: 'local',
  content,
  label: 'one attribute, sorted',
  title: 'kind, sorted by rating, pages 1-30: what the deep filters are compared with',
  outsideMeans: true,
  draw: (random, rows) => ({ kind: random.pick(kinds(rows)), page: filteredPage(random, rows) }),
  find: ({ kind, page }) => ({ type: 'article', where: is('kind', 'eq', kind), sort: descending('rating'), page }),
  tuned: covered({
    type: 'article',
    where: 'kind = :kind',
    order: `${ratingOrder}, id`,
    page: `kind, ${ratingOrder}, id`,
    count: 'kind',
  }),
});

/** Articles by the league of a team that stands at the end of a path of relations. */
function deep(name: string, label: string, path: string, authors: string): Query {
  return query({
    name,
    content,
    label,
    title: `${path}, sorted by rating, pages 1-30`,
    draw: (random, rows) => ({ league: random.pick(leagues(rows)), page: filteredPage(random, rows) }),
    find: ({ league, page }) => ({ type: 'article', where: is(path, 'eq', league), sort: descending('rating'), page }),
    tuned: covered({
      type: 'article',
      where: `author_id in (${authors})`,
      order: `${ratingOrder}, id`,
      page: `${ratingOrder}, id, author_id`,
      count: 'author_id',
      before: 'create index if not exists team_league on team (league)',
    }),
  });
}

const many = query({
  name: 'many',
  content,
  label: 'many-to-many, range, sorted',
  title: 'in one of 3 categories, reading between, sorted by date, page 3',
  draw: (random, rows) => {
    const slugs = new Set<string>();
    while (slugs.size < 3) slugs.add(random.pick(rows.type('category')).slug as string);
    const from = random.integer(2, 8);
    return { slugs: [...slugs], from, to: from + random.integer(3, 9) };
  },
  find: ({ slugs, from, to }) => ({
    type: 'article',
    where: { and: [is('categories.slug', 'in', slugs), is('reading', 'between', [from, to])] },
    sort: descending('publishedOn'),
    page: 3,
  }),
  tuned: {
    setup: `create index many_match on article (id, reading, publishedOn);
      create unique index category_slug on category (slug)`,
    ids: `select id from article indexed by many_match where id in (
        select owner_id from article_categories
        where target_id in (select id from category where slug in (select value from json_each(:slugs)))
      ) and reading between :from and :to order by publishedOn desc, id`,
  },
});

const contains = query({
  name: 'contains',
  content,
  label: 'text contains',
  title: 'title contains 3 letters in any case, sorted by id',
  draw: (random, rows) => {
    const word = wordOf(random, rows, 3);
    const start = random.integer(0, word.length - 3);
    return { text: word.slice(start, start + 3) };
  },
  find: ({ text }) => ({ type: 'article', where: is('title', 'containsi', text), sort: ascending('id') }),
  tuned: trigrams('title_search', 'article', 'title'),
});

const recent = 'kind = :kind and updatedAt > :after';
const fewStars = 'author_id in (select id from author where stars < 2)';

const mix = query({
  name: 'mix',
  content,
  label: 'and, or, not',
  title: 'or(and(kind, updated after), not(author.stars >= 2)), sorted by title',
  draw: (random, rows) => ({
    kind: random.pick(kinds(rows)),
    after: random.pick(rows.type('article')).updatedAt as string,
  }),
  find: ({ kind, after }) => ({
    type: 'article',
    where: {
      or: [{ and: [is('kind', 'eq', kind), is('updatedAt', 'gt', after)] }, { not: is('author.stars', 'gte', 2) }],
    },
    sort: ascending('title'),
  }),
  tuned: {
    setup: `create index mix_page on article (title, id, kind, updatedAt, author_id);
      create index mix_count on article (kind, updatedAt, author_id);
      create index author_stars on author (stars)`,
    ids: `select id from article indexed by mix_page where (${recent}) or ${fewStars} order by title, id`,
    // counts the two sides of the `or`, less what satisfies both; every relation has an index, such as article_author
    count: `select
      (select count(*) from article indexed by mix_count where ${recent}) +
      (select count(*) from article indexed by article_author where ${fewStars}) -
      (select count(*) from article indexed by mix_count where ${recent} and ${fewStars})`,
  },
});

const fields = query({
  name: 'fields',
  content,
  label: 'two fields of a page',
  title: 'kind, only title and rating, sorted by day, pages 1-30',
  draw: (random, rows) => ({ kind: random.pick(kinds(rows)), page: filteredPage(random, rows) }),
  find: ({ kind, page }) => ({
    type: 'article',
    where: is('kind', 'eq', kind),
    fields: ['title', 'rating'],
    sort: descending('publishedOn'),
    page,
  }),
  tuned: covered({
    type: 'article',
    where: 'kind = :kind',
    order: 'publishedOn desc, id',
    page: 'kind, publishedOn desc, id',
    count: 'kind',
  }),
});

const choice = ['title', 'slug', 'lead', 'kind', 'premium', 'rating', 'publishedOn', 'reading', 'views', 'figures'];
const sortable = ['rating', 'publishedOn', 'reading', 'title', 'updatedAt', 'createdAt', 'slug', 'lead'];

/** What a query costs whose form no cache and no prepared statement knows. */
const forms = query({
  name: 'forms',
  content,
  label: 'a new form each time',
  title: 'kind; each time other fields and another order than ever before',
  outsideMeans: true,
  // Lectern keeps 16 MiB of forms, which is some 5,000 of the smallest
  newForms: 8000,
  draw: (random, rows) => {
    const fields = choice.filter(() => random.next() < 0.5);
    return {
      kind: random.pick(kinds(rows)),
      fields: fields.length > 0 ? fields : ['title'],
      sort: [random.pick(sortable), random.pick(sortable), random.pick(sortable)],
      descending: random.next() < 0.5,
    };
  },
  find: ({ kind, fields, sort, descending }) => ({
    type: 'article',
    where: is('kind', 'eq', kind),
    fields,
    sort: [...new Set(sort)].map((name, index) => ({ path: [name], descending: descending === (index === 0) })),
  }),
});

export const magazineQueries: Query[] = [
  uniqueValue({ name: 'slug', content }, 'article', 'slug'),
  two,
  local,
  deep(
    'deep2',
    'two relations deep, sorted',
    'author.team.league',
    'select author.id from team join author on author.team_id = team.id where team.league = :league',
  ),
  deep(
    'deep3',
    'three relations deep, sorted',
    'author.mentor.team.league',
    `select author.id from team join author as mentor on mentor.team_id = team.id
      join author on author.mentor_id = mentor.id where team.league = :league`,
  ),
  many,
  contains,
  populatedPage(
    { name: 'page', content, title: 'no filter, page 100-300, author with team, categories' },
    'article',
    { author: { team: {} }, categories: {} },
    (random, articles) => {
      const last = Math.min(300, Math.floor(articles.length / defaultPageSize));
      return random.integer(Math.max(1, Math.floor(last / 3)), last);
    },
  ),
  mix,
  fields,
  relatedSort(
    { name: 'related-sort', content, title: 'updated after, sorted by the name of the author, page 2' },
    'article',
    { at: 'updatedAt', operator: 'gt', relation: 'author', target: 'author', ties: [], isOptional: true },
    (random, rows) => random.pick(rows.type('article')).updatedAt,
  ),
  wordSearch(
    { name: 'search', content, title: '_q: a word of 5 letters or more in any text attribute, sorted by id' },
    'article',
    'title, slug, lead, kind, footnote',
    (random, rows) => wordOf(random, rows, 5),
  ),
  forms,
];
