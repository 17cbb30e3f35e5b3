import type { Rows } from '../data/rows.ts';
import type { Sqlite, Statement } from '../packages.ts';
import { manyPage, type Parameters, pageSize, type QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import type { Peer } from './peer.ts';
import { articlesReply, populator } from './sqlite-reply.ts';
import { fillTables } from './sqlite-tables.ts';

/**
 * Each index covers one statement below. `ratingOrder` puts nulls first descending, so that an index gives the order;
 * the trigram index answers `contains` without reading titles.
 */
const indexes = `
  alter table article add column ratingOrder real;
  update article set ratingOrder = ifnull(rating, 1e9);
  create unique index article_slug on article (slug);
  create index two_page on article (premium, publishedOn desc, id, rating);
  create index two_count on article (premium, rating);
  create index local_page on article (kind, ratingOrder desc, id);
  create index deep_page on article (ratingOrder desc, id, author_id);
  create index article_author on article (author_id);
  create index many_match on article (id, reading, publishedOn);
  create index mix_page on article (title, id, kind, rating, author_id);
  create index mix_count on article (kind, rating, author_id);
  create index article_id on article (id);
  create index team_league on team (league);
  create index author_team on author (team_id);
  create index author_mentor on author (mentor_id);
  create index author_stars on author (stars);
  create unique index category_slug on category (slug);
  create index link_category on article_category (category_id, article_id);
  create virtual table title_index using fts5 (title, content = '', detail = 'full', tokenize = 'trigram');
  insert into title_index (rowid, title) select id, title from article;
  insert into title_index (title_index) values ('optimize');
`;

const deep2 = `select author.id from team join author on author.team_id = team.id where team.league = ?`;
const deep3 = `select author.id from team join author as mentor on mentor.team_id = team.id
  join author on author.mentor_id = mentor.id where team.league = ?`;
const fewStars = 'select id from author where stars < 2';

const selects = {
  slug: 'select * from article where slug = ?',
  two: wholeRows('premium = ? and rating >= ?', 'publishedOn desc, id', 'two_page'),
  twoCount: 'select count(*) from article indexed by two_count where premium = ? and rating >= ?',
  local: wholeRows('kind = ?', 'ratingOrder desc, id', 'local_page'),
  localCount: 'select count(*) from article indexed by mix_count where kind = ?',
  deep2: wholeRows(`author_id in (${deep2})`, 'ratingOrder desc, id', 'deep_page'),
  deep2Count: `select count(*) from article indexed by article_author where author_id in (${deep2})`,
  deep3: wholeRows(`author_id in (${deep3})`, 'ratingOrder desc, id', 'deep_page'),
  deep3Count: `select count(*) from article indexed by article_author where author_id in (${deep3})`,
  many: `select id from article indexed by many_match where id in (
      select article_id from article_category
      where category_id in (select id from category where slug in (?, ?, ?))
    ) and reading between ? and ? order by publishedOn desc, id`,
  contains: `select article.* from (select rowid from title_index where title match ? order by rowid limit ?) as page
    cross join article on article.id = page.rowid`,
  containsCount: 'select count(*) from title_index where title match ?',
  page: `select article.* from (select id from article indexed by article_id order by id limit ? offset ?) as page
    cross join article on article.id = page.id`,
  pageCount: 'select count(*) from article',
  mix: wholeRows(`(kind = ? and rating > ?) or author_id in (${fewStars})`, 'title, id', 'mix_page'),
  mixCount: `select
    (select count(*) from article indexed by mix_count where kind = ? and rating > ?) +
    (select count(*) from article indexed by article_author where author_id in (${fewStars})) -
    (select count(*) from article indexed by mix_count where kind = ? and rating > ? and author_id in (${fewStars}))`,
  byIds: 'select * from article where id in (select value from json_each(?))',
};

/**
 * The page is found in the covering index; only its rows are then read whole. A cross join keeps SQLite from turning
 * the two around, and so the rows come in the order of the page.
 */
function wholeRows(where: string, order: string, index: string): string {
  return `select article.* from (
      select id from article indexed by ${index} where ${where} order by ${order} limit ? offset ?
    ) as page cross join article on article.id = page.id`;
}

type Statements = Record<keyof typeof selects, Statement>;

/** SQL, covering indexes and a trigram index made by hand for each query: it answers these and no others. */
export class SqliteTuned implements Peer {
  #statements!: Statements;
  #populate!: ReturnType<typeof populator>;

  load(rows: Rows): void {
    const database = fillTables(rows, indexes);
    const prepared = Object.entries(selects).map(([name, sql]) => [name, prepare(database, name, sql)]);
    this.#statements = Object.fromEntries(prepared) as Statements;
    this.#populate = populator(database);
  }

  query(name: QueryName, { parameters }: ParameterSet): Buffer {
    return (this.#answers[name] as (parameters: Parameters[QueryName]) => Buffer)(parameters);
  }

  readonly #answers: { [Name in QueryName]: (parameters: Parameters[Name]) => Buffer } = {
    slug: ({ slug }) => {
      const rows = this.#statements.slug.all(slug);
      return articlesReply(rows, 1, rows.length);
    },
    two: ({ premium, rating }) => {
      const { two, twoCount } = this.#statements;
      const rows = two.all(Number(premium), rating, pageSize, 0);
      return articlesReply(rows, 1, twoCount.get(Number(premium), rating) as number);
    },
    local: ({ kind, page }) => this.#paged('local', 'localCount', kind, page),
    deep2: ({ league, page }) => this.#paged('deep2', 'deep2Count', league, page),
    deep3: ({ league, page }) => this.#paged('deep3', 'deep3Count', league, page),
    many: ({ slugs, from, to }) => {
      const matches = this.#statements.many.all(...slugs, from, to) as number[];
      const ids = matches.slice((manyPage - 1) * pageSize, manyPage * pageSize);
      const rows = this.#statements.byIds.all(JSON.stringify(ids)) as { id: number }[];
      const places = new Map(ids.map((id, index) => [id, index]));
      rows.sort((one, other) => places.get(one.id)! - places.get(other.id)!);
      return articlesReply(rows, manyPage, matches.length);
    },
    contains: ({ piece }) => {
      const match = `"${piece}"`;
      const total = this.#statements.containsCount.get(match) as number;
      return articlesReply(this.#statements.contains.all(match, pageSize), 1, total);
    },
    page: ({ page }) => {
      const rows = this.#statements.page.all(pageSize, (page - 1) * pageSize);
      return this.#populate(rows, page, this.#statements.pageCount.get() as number);
    },
    mix: ({ kind, rating }) => {
      const rows = this.#statements.mix.all(kind, rating, pageSize, 0);
      return articlesReply(rows, 1, this.#statements.mixCount.get(kind, rating, kind, rating) as number);
    },
  };

  #paged(select: 'local' | 'deep2' | 'deep3', count: `${typeof select}Count`, value: string, page: number): Buffer {
    const rows = this.#statements[select].all(value, pageSize, (page - 1) * pageSize);
    return articlesReply(rows, page, this.#statements[count].get(value) as number);
  }
}

function prepare(database: Sqlite, name: string, sql: string): Statement {
  const statement = database.prepare(sql);
  const oneColumn = name.endsWith('Count') || name === 'many';
  return oneColumn ? statement.pluck() : statement;
}
