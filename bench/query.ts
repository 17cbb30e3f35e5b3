import qs from 'qs';
import type { Rows } from './content/rows.ts';
import { Random } from './random.ts';

/** A query in neutral form. Each peer derives its own from it: a URL, SQL, a Mongo condition or a predicate. */
export interface Find {
  /** The singular name of the content type. */
  type: string;
  where?: Condition;
  /** Ties are broken by ascending id. Nulls are last in ascending and first in descending order. */
  sort?: Sort[];
  page?: number;
  pageSize?: number;
  /** All scalar attributes by default. The id and the documentId are always included. */
  fields?: string[];
  populate?: Populate;
  /** Finds entries in which a text attribute contains it, ignoring case. */
  search?: string;
}

export type Condition = Comparison | { and: Condition[] } | { or: Condition[] } | { not: Condition };

/** Compares an attribute of the entry or of related entries. A null satisfies only `null`. */
export interface Comparison {
  path: string[];
  operator: Operator;
  value: unknown;
}

export type Operator = 'eq' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' | 'between' | 'containsi' | 'null' | 'notNull';

export interface Sort {
  path: string[];
  descending?: boolean;
}

/** What is populated, by attribute. An empty object selects all scalar attributes of the related entries. */
export interface Populate {
  [attribute: string]: Populate;
}

/** A kind of query. Its operands are drawn from the rows. */
// biome-ignore lint/suspicious/noExplicitAny: lists hold queries of different operands
export interface Query<Operands extends object = any> {
  name: string;
  /** The name of the content that it belongs to. */
  content: string;
  /** Short enough for the picture. */
  label: string;
  title: string;
  /** The geometric means leave it out. */
  outsideMeans?: boolean;
  /** Each set is a new form of query. So many sets are drawn, and none is asked twice before all were asked. */
  newForms?: number;
  /** Marks the query that is also measured over HTTP, for replies of this size. */
  http?: 'one entry' | 'page of 25';
  draw(random: Random, rows: Rows): Operands;
  find(operands: Operands): Find;
  /** SQL written by hand for this query alone. Without it the tuned peers decline the query. */
  tuned?: TunedSql;
}

/** Statements in which `:name` stands for an operand. A list is bound as JSON, for `json_each`. */
export interface TunedSql {
  /** Indexes and whatever else the statements use. The tables are those of `sqlite/tables.ts`. */
  setup: string;
  /** Selects the ids of all matches, in order. With a `count`, a limit and an offset are added to it. */
  ids: string;
  /** Counts the matches. Without it all ids are read and counted. */
  count?: string;
  /** There is one match at most, which needs no count. */
  unique?: true;
}

/** Lets the compiler infer the operands of a query from `draw`. */
export function query<Operands extends object>(definition: Query<Operands>): Query<Operands> {
  return definition;
}

/** One set of operands, with the query and the URL that they give. */
export interface Asked {
  url: string;
  find: Find;
  operands: object;
}

export const defaultPageSize = 25;

/** Draws `count` sets with different URLs, or fewer if the rows give no more. The same seed gives the same sets. */
export function drawSets({ name, draw, find }: Query, rows: Rows, count: number, seed = 1): Asked[] {
  const random = new Random(seed * 7919 + name.length);
  const sets = new Map<string, Asked>();
  for (let attempt = 0; sets.size < count && attempt < count * 50; attempt++) {
    const operands = draw(random, rows);
    const found = find(operands);
    const url = urlOf(found, rows.schema.type(found.type).plural!);
    if (!sets.has(url)) sets.set(url, { url, find: found, operands });
  }
  return [...sets.values()];
}

/** The URL that asks Strapi, or Lectern, for it. */
export function urlOf(find: Find, plural: string): string {
  const { where, sort, page, pageSize, fields, populate, search } = find;
  const parameters = {
    filters: where && filters(where),
    _q: search,
    fields: fields?.join(),
    populate: populate && populated(populate),
    sort: sort?.map(({ path, descending }) => path.join('.') + (descending ? ':desc' : '')).join(),
    pagination: page || pageSize ? { page, pageSize } : undefined,
  };
  return `/api/${plural}?${qs.stringify(parameters, { encodeValuesOnly: true })}`;
}

function filters(condition: Condition): object {
  if ('or' in condition) return { $or: condition.or.map(filters) };
  if ('not' in condition) return { $not: filters(condition.not) };
  if ('and' in condition) {
    const parts = condition.and.map(filters);
    const keys = parts.flatMap(Object.keys);
    // conditions on different attributes are written without $and, as a person would
    return new Set(keys).size === keys.length ? Object.assign({}, ...parts) : { $and: parts };
  }
  const { path, operator, value } = condition;
  const test = operator === 'null' || operator === 'notNull' ? true : value;
  return path.reduceRight<object>((inner, name) => ({ [name]: inner }), { [`$${operator}`]: test });
}

function populated(populate: Populate): object {
  const entries = Object.entries(populate);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, Object.keys(inner).length > 0 ? { populate: populated(inner) } : true]),
  );
}

/** Every comparison in a condition. */
export function comparisonsIn(condition: Condition | undefined): Comparison[] {
  if (!condition) return [];
  if ('and' in condition) return condition.and.flatMap(comparisonsIn);
  if ('or' in condition) return condition.or.flatMap(comparisonsIn);
  return 'not' in condition ? comparisonsIn(condition.not) : [condition];
}
