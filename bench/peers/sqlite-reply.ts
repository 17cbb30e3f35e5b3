import type { Article, Author, Category, Team } from '../data/rows.ts';
import type { Sqlite } from '../packages.ts';
import { articleShape, authorShape, categoryShape, replyOf, teamShape, withRelations, withTeam } from './shape.ts';

/** A row as SQLite gives it: JSON is text, a boolean is a number, a relation is a key. */
export type ArticleRow = Omit<Article, 'premium' | 'figures' | 'keywords' | 'body'> & {
  premium: number;
  figures: string | null;
  keywords: string | null;
  body: string | null;
  author_id: number | null;
};

type AuthorRow = Omit<Author, 'languages' | 'onStaff'> & {
  languages: string | null;
  onStaff: number | null;
  team_id: number | null;
};

type LinkedCategory = Category & { article_id: number };

export function articlesReply(rows: unknown[], page: number, total: number): Buffer {
  return replyOf((rows as ArticleRow[]).map(articleOf), page, total);
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

function articleOf(row: ArticleRow) {
  const shape = articleShape(row as unknown as Article);
  shape.premium = row.premium === 1;
  shape.figures = parsed(row.figures);
  shape.keywords = parsed(row.keywords);
  shape.body = parsed(row.body);
  return shape;
}

function authorOf(row: AuthorRow) {
  const shape = authorShape(row as unknown as Author);
  shape.languages = parsed(row.languages);
  shape.onStaff = row.onStaff === null ? null : row.onStaff === 1;
  return shape;
}

/** Populates a page with one batch for each relation, whatever the number of entries. */
export function populator(database: Sqlite): (rows: unknown[], page: number, total: number) => Buffer {
  const inList = '(select value from json_each(?))';
  const authorsById = database.prepare(`select * from author where id in ${inList}`);
  const teamsById = database.prepare(`select * from team where id in ${inList}`);
  const categoriesByArticle = database.prepare(`
    select article_category.article_id, category.* from article_category
    join category on category.id = article_category.category_id
    where article_category.article_id in ${inList}
    order by article_category.article_id, article_category.position`);

  return (found, page, total) => {
    const rows = found as ArticleRow[];
    const authorRows = authorsById.all(keys(rows.map((row) => row.author_id))) as AuthorRow[];
    const teamRows = teamsById.all(keys(authorRows.map((row) => row.team_id))) as Team[];
    const teams = new Map(teamRows.map((row) => [row.id, teamShape(row)]));
    const authors = new Map(
      authorRows.map((row) => [row.id, withTeam(authorOf(row), teams.get(row.team_id!) ?? null)]),
    );
    const categories = new Map<number, object[]>(rows.map((row) => [row.id, []]));
    for (const row of categoriesByArticle.all(keys(rows.map(({ id }) => id))) as LinkedCategory[]) {
      categories.get(row.article_id)!.push(categoryShape(row));
    }
    const entries = rows.map((row) =>
      withRelations(articleOf(row), authors.get(row.author_id!) ?? null, categories.get(row.id)!),
    );
    return replyOf(entries, page, total);
  };
}

function keys(ids: (number | null)[]): string {
  return JSON.stringify([...new Set(ids)].filter((id) => id !== null));
}
