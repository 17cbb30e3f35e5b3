import type { Row, Rows } from '../content/rows.ts';
import { type Condition, type Operator, type Populate, type Query, query, type Sort, type TunedSql } from '../query.ts';
import type { Random } from '../random.ts';

/** What the queries of several contents share: parts of a query, the SQL of the tuned peers, and whole queries. */

/** `path` has dots between relations and attributes. */
export const is = (path: string, operator: Operator, value: unknown): Condition => ({
  path: path.split('.'),
  operator,
  value,
});

export const ascending = (...paths: string[]): Sort[] => paths.map((path) => ({ path: path.split('.') }));

export const descending = (path: string): Sort[] => [{ path: path.split('.'), descending: true }];

interface Covered {
  type: string;
  where: string;
  order: string;
  /** The columns of the index from which the page is read in order, and of the one in which matches are counted. */
  page: string;
  count: string;
  /** Statements that make columns for the indexes. */
  before?: string;
}

export function covered({ type, where, order, page, count, before }: Covered): TunedSql {
  const name = (columns: string) => `"${type}: ${columns}"`;
  const made = [page, count].map((columns) => `create index if not exists ${name(columns)} on ${type} (${columns})`);
  return {
    setup: (before ? [before, ...made] : made).join(';\n'),
    ids: `select id from ${type} indexed by ${name(page)} where ${where} order by ${order}`,
    count: `select count(*) from ${type} indexed by ${name(count)} where ${where}`,
  };
}

/** Finds three letters or more in the columns without reading them, with a table of their trigrams. */
export function trigrams(table: string, type: string, columns: string): TunedSql {
  const where = `text match '"' || :text || '"'`;
  return {
    setup: `create virtual table ${table} using fts5 (text, content = '', detail = 'full', tokenize = 'trigram');
      insert into ${table} (rowid, text) select id, concat_ws(char(10), ${columns}) from ${type};
      insert into ${table} (${table}) values ('optimize')`,
    ids: `select rowid as id from ${table} where ${where} order by rowid`,
    count: `select count(*) from ${table} where ${where}`,
  };
}

type Named = Pick<Query, 'name' | 'content'>;

/** An entry by an attribute whose values are unique. */
export function uniqueValue(named: Named, type: string, attribute: string): Query {
  return query({
    ...named,
    label: attribute,
    title: `${attribute} equals`,
    http: 'one entry',
    draw: (random, rows) => ({ value: random.pick(rows.type(type))[attribute] as string }),
    find: ({ value }) => ({ type, where: is(attribute, 'eq', value) }),
    tuned: {
      setup: `create unique index ${type}_${attribute} on ${type} (${attribute})`,
      ids: `select id from ${type} where ${attribute} = :value`,
      unique: true,
    },
  });
}

/** A page of all entries with what they are related to. */
export function populatedPage(
  named: Named & Pick<Query, 'title'>,
  type: string,
  populate: Populate,
  drawPage: (random: Random, entries: Row[]) => number,
): Query {
  return query({
    ...named,
    label: 'populated page',
    draw: (random, rows) => ({ page: drawPage(random, rows.type(type)) }),
    find: ({ page }) => ({ type, sort: ascending('id'), populate, page }),
    tuned: {
      setup: `create index ${type}_id on ${type} (id)`,
      ids: `select id from ${type} indexed by ${type}_id order by id`,
      count: `select count(*) from ${type}`,
    },
  });
}

/** `_q`, which looks in all text attributes: those that `columns` names. */
export function wordSearch(
  named: Named & Pick<Query, 'title'>,
  type: string,
  columns: string,
  drawText: (random: Random, rows: Rows) => string,
): Query {
  return query({
    ...named,
    label: '_q over all text',
    draw: (random, rows) => ({ text: drawText(random, rows) }),
    find: ({ text }) => ({ type, search: text, sort: ascending('id') }),
    tuned: trigrams('text_search', type, columns),
  });
}

/** Two fields of the entries with at least a value, sorted by another attribute. */
export function twoFields(
  named: Named,
  type: string,
  { at, fields, order, pages }: { at: string; fields: [string, string]; order: string; pages: number },
  drawValue: (random: Random) => number,
): Query {
  return query({
    ...named,
    label: 'two fields of a page',
    title: `${at} at least, only ${fields.join(' and ')}, sorted by ${order}, pages 1-${pages}`,
    draw: (random) => ({ value: drawValue(random), page: random.integer(1, pages) }),
    find: ({ value, page }) => ({ type, where: is(at, 'gte', value), fields, sort: descending(order), page }),
    tuned: covered({
      type,
      where: `${at} >= :value`,
      order: `${order} desc, id`,
      page: `${order} desc, id, ${at}`,
      count: at,
    }),
  });
}

interface RelatedSort {
  /** The attribute that is compared, and how. */
  at: string;
  operator: 'gt' | 'gte';
  /** The relation whose `name` is the first sort key, the type that it leads to, and further sort keys. */
  relation: string;
  target: string;
  ties: string[];
  /** Whether entries may be related to nothing. They stand last. */
  isOptional: boolean;
}

/** Sorted by the name of a related entry, page 2. */
export function relatedSort(
  named: Named & Pick<Query, 'title'>,
  type: string,
  { at, operator, relation, target, ties, isOptional }: RelatedSort,
  drawValue: (random: Random, rows: Rows) => unknown,
): Query {
  const column = `${relation}Name`;
  const order = [...(isOptional ? [`${column} is null`] : []), column, ...ties, 'id'].join(', ');
  return query({
    ...named,
    label: 'sorted through a relation',
    draw: (random, rows) => ({ value: drawValue(random, rows) }),
    find: ({ value }) => ({
      type,
      where: is(at, operator, value),
      sort: ascending(`${relation}.name`, ...ties),
      page: 2,
    }),
    tuned: covered({
      type,
      where: `${at} ${operator === 'gt' ? '>' : '>='} :value`,
      order,
      page: `${order}, ${at}`,
      count: at,
      // the name is copied, as the content is only read
      before: `alter table ${type} add column ${column} text;
        update ${type} set ${column} = (select name from ${target} where ${target}.id = ${relation}_id)`,
    }),
  });
}
