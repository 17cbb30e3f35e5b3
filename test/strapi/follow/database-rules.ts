/** Where Strapi answers otherwise on other databases than PostgreSQL: the forms of some values, and the rules of the database. */
import type { Answer, Difference } from '../compare-answers.ts';
import type { Request } from '../queries/query-context.ts';
import type { DatabaseKind } from './databases.ts';

/** Returns an answer with the values whose form depends on the database in one form. */
export function withCommonForms({ status, body }: Answer): Answer {
  return { status, body: commonForm(body, '') };
}

function commonForm(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => commonForm(item, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, commonForm(inner, name)]));
  }
  if (typeof value === 'string' && /^\d\d:\d\d:\d\d\.0+$/.test(value)) return value.slice(0, 8);
  // Strapi on SQLite serves timestamps as milliseconds
  if (key === 'loggedAt' && typeof value === 'string' && /^-?\d+$/.test(value)) return isoOf(Number(value));
  if (key === 'loggedAt' && typeof value === 'number') return isoOf(value);
  // it serves big integers as doubles
  if ((key === 'serial' || key === 'fee' || key === 'sum') && /^-?\d+$/.test(String(value))) return Number(value);
  return value;
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

interface Case {
  readonly path: string;
  readonly strapi: Answer;
  readonly lectern: Answer;
  readonly difference: Difference;
}

type Rules = Readonly<Record<string, (found: Case) => boolean>>;

/** Lectern keeps to the rules of SQLite. */
const ofSqlite: Rules = {
  'SQLite compares big integers as doubles, and JSON that is a number as a number': ({ path, strapi, lectern }) =>
    strapi.status === 200 && lectern.status === 200 && /\[(measures|serial|fee|sum)\]|\bsort\b.*measures/.test(path),
};

const rules: Readonly<Record<DatabaseKind, Rules>> = { sqlite: ofSqlite, mariadb: {}, postgres: {} };

/** Returns the rule of a database that explains a difference; null if none does. */
export function ruleOf(
  database: DatabaseKind,
  request: Request,
  strapi: Answer,
  lectern: Answer,
  difference: Difference,
): string | null {
  const found = { path: decodeURIComponent(request.path.replaceAll('+', ' ')), strapi, lectern, difference };
  return Object.entries(rules[database]).find(([, applies]) => applies(found))?.[0] ?? null;
}
