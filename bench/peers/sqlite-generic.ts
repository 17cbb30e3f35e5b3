import type { Rows } from '../data/rows.ts';
import type { Sqlite, SqlValue, Statement } from '../packages.ts';
import { manyPage, type Parameters, pageSize, type QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import type { Peer } from './peer.ts';
import { articlesReply, populator } from './sqlite-reply.ts';
import { fillTables } from './sqlite-tables.ts';

/** An index on every field that is filtered or sorted by, and on both sides of every relation. */
const indexes = `
  create unique index article_slug on article (slug);
  create index article_premium on article (premium);
  create index article_rating on article (rating);
  create index article_published on article (publishedOn);
  create index article_reading on article (reading);
  create index article_kind on article (kind);
  create index article_title on article (title);
  create index article_author on article (author_id);
  create index author_stars on author (stars);
  create index author_team on author (team_id);
  create index author_mentor on author (mentor_id);
  create index team_league on team (league);
  create unique index category_slug on category (slug);
  create index link_category on article_category (category_id, article_id);
`;

/** What a compiler makes of a query: a from clause with its joins, a condition and an order. */
interface Compiled {
  from?: string;
  where: string;
  order: string;
}

const author = 'left join author on author.id = article.author_id';
const byRating = 'article.rating desc nulls first, article.id asc';
const byDate = 'article.publishedOn desc nulls first, article.id asc';

const compiled: Record<QueryName, Compiled> = {
  slug: { where: 'article.slug = ?', order: 'article.id asc' },
  two: { where: 'article.premium = ? and article.rating >= ?', order: byDate },
  local: { where: 'article.kind = ?', order: byRating },
  deep2: { from: `${author} left join team on team.id = author.team_id`, where: 'team.league = ?', order: byRating },
  deep3: {
    from: `${author} left join author as mentor on mentor.id = author.mentor_id
      left join team on team.id = mentor.team_id`,
    where: 'team.league = ?',
    order: byRating,
  },
  many: {
    where: `article.id in (
        select link.article_id from article_category as link
        left join category on category.id = link.category_id where category.slug in (?, ?, ?)
      ) and article.reading between ? and ?`,
    order: byDate,
  },
  contains: { where: "lower(article.title) like ? escape '\\'", order: 'article.id asc' },
  page: { where: 'true', order: 'article.id asc' },
  mix: {
    from: author,
    where: '((article.kind = ? and article.rating > ?) or author.stars < ?)',
    order: 'article.title asc nulls last, article.id asc',
  },
};

type Bound = { [Name in QueryName]: (parameters: Parameters[Name]) => { values: SqlValue[]; page?: number } };

const bound: Bound = {
  slug: ({ slug }) => ({ values: [slug] }),
  two: ({ premium, rating }) => ({ values: [Number(premium), rating] }),
  local: ({ kind, page }) => ({ values: [kind], page }),
  deep2: ({ league, page }) => ({ values: [league], page }),
  deep3: ({ league, page }) => ({ values: [league], page }),
  many: ({ slugs, from, to }) => ({ values: [...slugs, from, to], page: manyPage }),
  contains: ({ piece }) => ({ values: [`%${piece}%`] }),
  page: ({ page }) => ({ values: [], page }),
  mix: ({ kind, rating }) => ({ values: [kind, rating, 2] }),
};

type Statements = Record<QueryName, { select: Statement; count: Statement }>;

/**
 * SQL as a compiler of any filter writes it: joins, `in (select …)`, one select for the page and one for the count.
 */
export class SqliteGeneric implements Peer {
  #statements!: Statements;
  #populate!: ReturnType<typeof populator>;

  load(rows: Rows): void {
    const database = fillTables(rows, indexes);
    const statements = Object.entries(compiled).map(([name, query]) => [name, prepare(database, query)]);
    this.#statements = Object.fromEntries(statements) as Statements;
    this.#populate = populator(database);
  }

  query(name: QueryName, { parameters }: ParameterSet): Buffer {
    const bind = bound[name] as (parameters: Parameters[QueryName]) => { values: SqlValue[]; page?: number };
    const { values, page = 1 } = bind(parameters);
    const { select, count } = this.#statements[name];
    const rows = select.all(...values, pageSize, (page - 1) * pageSize);
    const total = count.get(...values) as number;
    return name === 'page' ? this.#populate(rows, page, total) : articlesReply(rows, page, total);
  }
}

function prepare(database: Sqlite, { from = '', where, order }: Compiled): { select: Statement; count: Statement } {
  return {
    select: database.prepare(`select article.* from article ${from} where ${where} order by ${order} limit ? offset ?`),
    count: database.prepare(`select count(*) from article ${from} where ${where}`).pluck(),
  };
}
