import type { Attribute } from '../content/schema.ts';
import type { Comparison, Condition, Find } from '../query.ts';
import { columnsOf } from '../sqlite/populate.ts';
import type { Tables } from '../sqlite/tables.ts';
import { searchedAttributes } from './search.ts';

export interface CompiledSql {
  /** Selects the rows of the page. */
  select: string;
  count: string;
  /** The values of `?` in both. Size and offset of the page follow. */
  values: unknown[];
}

/**
 * `strapi` writes what Strapi's query builder does: a left join for every relation on every path, `distinct`, and
 * `lower()` on both sides of `like`. `plain` writes what a compiler for SQLite should: inner joins where a condition
 * has to hold, a subselect for a to-many relation, and `like` alone, which ignores case.
 */
export type Style = 'strapi' | 'plain';

export function compileSql(find: Find, tables: Tables, style: Style): CompiledSql {
  return new SqlCompiler(find, tables, style).compile();
}

class SqlCompiler {
  readonly #find: Find;
  readonly #tables: Tables;
  readonly #style: Style;
  readonly #values: unknown[] = [];
  readonly #joins: string[] = [];
  /** Aliases by the path of relations that leads to them. */
  readonly #aliases = new Map([['', 't0']]);
  #aliasCount = 1;

  constructor(find: Find, tables: Tables, style: Style) {
    this.#find = find;
    this.#tables = tables;
    this.#style = style;
  }

  compile(): CompiledSql {
    const { type, where, sort = [], search } = this.#find;
    const conditions = where ? [this.#condition(where, this.#style === 'plain')] : [];
    if (search) {
      const names = searchedAttributes(this.#tables.schema, type);
      conditions.push(`(${names.map((name) => this.#contains(`t0."${name}"`, search)).join(' or ')})`);
    }
    const counted = [...this.#joins];
    const order = sort.map(
      ({ path, descending }) => `${this.#column(path, false)} ${descending ? 'desc nulls first' : 'asc nulls last'}`,
    );
    if (sort.at(-1)?.path.join() !== 'id') order.push('t0.id asc');
    const condition = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
    const from = (joins: string[]) => `from "${type}" as t0 ${joins.join(' ')} ${condition}`;
    const isDistinct = this.#style === 'strapi';
    const distinct = (joins: string[]) => (isDistinct && joins.length > 0 ? 'distinct ' : '');
    return {
      select: `select ${distinct(this.#joins)}${columnsOf(this.#tables, this.#find, 't0')} ${from(this.#joins)} order by ${order.join(', ')} limit ? offset ?`,
      count: `select count(${distinct(counted)}${counted.length > 0 ? 't0.id' : '*'}) ${from(counted)}`,
      values: this.#values,
    };
  }

  /** `isRequired`: every row that is found satisfies it. */
  #condition(condition: Condition, isRequired: boolean): string {
    if ('and' in condition) return `(${condition.and.map((each) => this.#condition(each, isRequired)).join(' and ')})`;
    if ('or' in condition) return `(${condition.or.map((each) => this.#condition(each, false)).join(' or ')})`;
    if ('not' in condition) return `not ${this.#condition(condition.not, false)}`;
    return this.#comparison(condition, isRequired);
  }

  #comparison({ path, operator, value }: Comparison, isRequired: boolean): string {
    const hop = this.#style === 'plain' ? this.#firstToMany(path) : -1;
    if (hop < 0) return this.#compare(this.#column(path, isRequired && operator !== 'null'), { path, operator, value });
    const { type, attribute } = this.#hop(path, hop);
    const outer = this.#alias(path.slice(0, hop), isRequired);
    const alias = `t${this.#aliasCount++}`;
    const { table, from, to, targetColumn } = this.#tables.link(type, attribute);
    const target = attribute.target!;
    const inner = new SqlCompiler({ type: target }, this.#tables, this.#style);
    inner.#aliases.set('', alias);
    inner.#aliasCount = this.#aliasCount;
    const tested = inner.#comparison({ path: path.slice(hop + 1), operator, value }, true);
    this.#values.push(...inner.#values);
    this.#aliasCount = inner.#aliasCount;
    const source = table
      ? `select ${alias}_link.${from} from "${table}" as ${alias}_link join "${target}" as ${alias} on ${alias}.id = ${alias}_link.${to}`
      : `select ${alias}."${targetColumn}" from "${target}" as ${alias}`;
    return `${outer}.id in (${source} ${inner.#joins.join(' ')} where ${tested})`;
  }

  #compare(column: string, { operator, value }: Comparison): string {
    switch (operator) {
      case 'null':
        return `${column} is null`;
      case 'notNull':
        return `${column} is not null`;
      case 'containsi':
        return this.#contains(column, value as string);
      case 'in':
        this.#values.push(...(value as unknown[]).map(stored));
        return `${column} in (${(value as unknown[]).map(() => '?').join(', ')})`;
      case 'between':
        this.#values.push(...(value as unknown[]).map(stored));
        return `${column} between ? and ?`;
      default:
        this.#values.push(stored(value));
        return `${column} ${signs[operator]} ?`;
    }
  }

  #contains(column: string, text: string): string {
    this.#values.push(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
    return this.#style === 'strapi' ? `lower(${column}) like lower(?) escape '\\'` : `${column} like ? escape '\\'`;
  }

  /** A column, or a value in the JSON of a component. */
  #column(path: string[], isRequired: boolean): string {
    const isInComponent = path.length > 1 && this.#hop(path, path.length - 2).attribute.kind === 'component';
    const holder = path.slice(0, isInComponent ? -2 : -1);
    return columnIn(`${this.#alias(holder, isRequired)}.`, path.slice(holder.length));
  }

  /** The alias of the rows that a path of relations leads to, joined when it is first met. */
  #alias(path: string[], isRequired: boolean): string {
    const key = path.join('.');
    const known = this.#aliases.get(key);
    if (known) return known;
    const outer = this.#alias(path.slice(0, -1), isRequired);
    const alias = `t${this.#aliasCount++}`;
    this.#aliases.set(key, alias);
    const { type, attribute } = this.#hop(path, path.length - 1);
    const { column, targetColumn, table, from, to } = this.#tables.link(type, attribute);
    const join = isRequired ? 'join' : 'left join';
    if (table) this.#joins.push(`${join} "${table}" as ${alias}_link on ${alias}_link.${from} = ${outer}.id`);
    const on = table
      ? `${alias}.id = ${alias}_link.${to}`
      : `${alias}."${targetColumn ?? 'id'}" = ${outer}."${column ?? 'id'}"`;
    this.#joins.push(`${join} "${attribute.target}" as ${alias} on ${on}`);
    return alias;
  }

  /** The relation at a place of a path, and the type that has it. */
  #hop(path: string[], place: number): { type: string; attribute: Attribute } {
    return this.#tables.schema.path(this.#find.type, path.slice(0, place + 1))[place];
  }

  #firstToMany(path: string[]): number {
    return path.slice(0, -1).findIndex((_, place) => this.#hop(path, place).attribute.many);
  }
}

/** `prefix` is an alias with its dot, or empty. Of two names the first is a component. */
export function columnIn(prefix: string, [name, inside]: string[]): string {
  return inside ? `json_extract(${prefix}"${name}", '$."${inside}"')` : `${prefix}"${name}"`;
}

const signs: Record<string, string> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

function stored(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}
