import type { Rows } from '../data/rows.ts';
import { openSqlite, type Sqlite, type SqlValue } from '../packages.ts';

/** The tables that both SQLite peers have: JSON as text, booleans as 0 and 1, dates as ISO text. */
const tables = `
  create table team (
    id integer primary key, documentId text not null, createdAt text, updatedAt text, publishedAt text,
    name text not null, slug text not null, league text not null, city text, chant text, founded text, points integer
  ) strict;
  create table author (
    id integer primary key, documentId text not null, createdAt text, updatedAt text, publishedAt text,
    name text not null, slug text not null, stars integer, motto text, bio text, born text, email text, joinedAt text,
    languages text, onStaff integer, team_id integer, mentor_id integer
  ) strict;
  create table category (
    id integer primary key, documentId text not null, createdAt text, updatedAt text, publishedAt text,
    name text not null, slug text not null, description text, colour text, rank integer
  ) strict;
  create table article (
    id integer primary key, documentId text not null, createdAt text, updatedAt text, publishedAt text,
    title text not null, slug text not null, lead text, kind text not null, premium integer not null, rating real,
    publishedOn text, reading integer not null, views text, figures text, keywords text, correctedAt text,
    footnote text, body text, locale text, author_id integer
  ) strict;
  create table article_category (
    article_id integer not null, category_id integer not null, position integer not null,
    primary key (article_id, position)
  ) strict, without rowid;
`;

/** A database in memory with the rows in it. Indexes follow after the rows, and statistics after the indexes. */
export function fillTables({ articles, authors, teams, categories }: Rows, indexes: string): Sqlite {
  const database = openSqlite();
  // pages are in memory in any case: what they would be synced to does not exist
  database.exec('pragma synchronous = off');
  database.exec('pragma temp_store = memory');
  database.exec(tables);
  database.exec('begin');
  insert(database, 'team', teams, (row) => ({ ...row }));
  insert(database, 'category', categories, (row) => ({ ...row }));
  insert(database, 'author', authors, ({ team, mentor, ...row }) => ({
    ...row,
    team_id: team?.id,
    mentor_id: mentor?.id,
  }));
  insert(database, 'article', articles, ({ author, categories: _, ...row }) => ({
    ...row,
    author_id: author?.id,
  }));
  const links = articles.flatMap((row) =>
    row.categories.map(({ id }, position) => ({ article_id: row.id, category_id: id, position })),
  );
  insert(database, 'article_category', links, (link) => link);
  database.exec('commit');
  database.exec(indexes);
  database.exec('analyze');
  return database;
}

const jsonColumns = new Set(['figures', 'keywords', 'body', 'languages']);

function insert<Row>(database: Sqlite, table: string, rows: Row[], columnsOf: (row: Row) => object): void {
  if (rows.length === 0) return;
  const names = Object.keys(columnsOf(rows[0]));
  const statement = database.prepare(
    `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
  );
  for (const row of rows) {
    const columns = columnsOf(row) as Record<string, unknown>;
    statement.run(...names.map((name) => sqlValue(name, columns[name])));
  }
}

function sqlValue(name: string, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (jsonColumns.has(name)) return JSON.stringify(value);
  return typeof value === 'boolean' ? Number(value) : (value as SqlValue);
}
