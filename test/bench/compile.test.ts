/** Compiles a neutral query to a URL, two kinds of SQL and a MongoDB condition. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mongoCondition } from '../../bench/compile/mongo.ts';
import { compileSql, type Style } from '../../bench/compile/sql.ts';
import { Schema } from '../../bench/content/schema.ts';
import { type Condition, type Find, urlOf } from '../../bench/query.ts';
import { Tables } from '../../bench/sqlite/tables.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();

const relation = (kind: string, target: string) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
});
const types = {
  book: {
    title: { type: 'string' },
    pages: { type: 'integer' },
    author: relation('manyToOne', 'author'),
    shelves: relation('manyToMany', 'shelf'),
    cover: { type: 'component', component: 'book.cover', repeatable: false },
  },
  author: { name: { type: 'string' }, born: { type: 'date' } },
  shelf: { code: { type: 'string' } },
};
mkdirSync(join(folder, 'content-types'));
for (const [name, attributes] of Object.entries(types)) {
  const info = { singularName: name, pluralName: `${name}s`, displayName: name };
  writeFileSync(join(folder, 'content-types', `${name}.json`), JSON.stringify({ info, attributes }));
}
mkdirSync(join(folder, 'components/book'), { recursive: true });
writeFileSync(
  join(folder, 'components/book/cover.json'),
  JSON.stringify({ attributes: { width: { type: 'integer' } } }),
);
const schema = new Schema(folder);

/** The SQL from the tables on, in one line, without the columns of the page. */
function sql(where: Condition, style: Style, more: Partial<Find> = {}): string {
  const { select, values } = compileSql(
    { type: 'book', where, ...more },
    new Tables(schema, style === 'strapi'),
    style,
  );
  return `${select.replace(/t0\."id".*?from /, '… from ').replace(/\s+/g, ' ')} [${values.join('|')}]`;
}

const byAuthor: Condition = { path: ['author', 'name'], operator: 'eq', value: 'Ada' };
const onShelf: Condition = { path: ['shelves', 'code'], operator: 'in', value: ['a', 'b'] };
const titled: Condition = { path: ['title'], operator: 'containsi', value: '5%' };
const long: Condition = { path: ['pages'], operator: 'gte', value: 300 };

test('SQL as Strapi writes it has left joins through link tables, distinct rows and lower() on both sides', () => {
  expect(sql(byAuthor, 'strapi')).toBe(
    'select distinct … from "book" as t0 left join "book_author" as t1_link on t1_link.owner_id = t0.id' +
      ' left join "author" as t1 on t1.id = t1_link.target_id where t1."name" = ? order by t0.id asc limit ? offset ? [Ada]',
  );
  expect(sql(titled, 'strapi')).toBe(
    `select … from "book" as t0 where lower(t0."title") like lower(?) escape '\\' order by t0.id asc limit ? offset ? [%5\\%%]`,
  );
});

test('a good compiler uses inner joins for required conditions, and left joins below `or` and `not`', () => {
  const inner = 'select … from "book" as t0 join "author" as t1 on t1."id" = t0."author_id" where t1."name" = ?';
  expect(sql(byAuthor, 'plain')).toBe(`${inner} order by t0.id asc limit ? offset ? [Ada]`);
  const left = 'select … from "book" as t0 left join "author" as t1 on t1."id" = t0."author_id"';
  expect(sql({ or: [long, { not: byAuthor }] }, 'plain')).toBe(
    `${left} where (t0."pages" >= ? or not t1."name" = ?) order by t0.id asc limit ? offset ? [300|Ada]`,
  );
});

test('a good compiler uses a subselect for relations to many and needs no lower()', () => {
  expect(sql({ and: [onShelf, titled] }, 'plain')).toBe(
    'select … from "book" as t0 where (t0.id in (select t1_link.owner_id from "book_shelves" as t1_link' +
      ' join "shelf" as t1 on t1.id = t1_link.target_id where t1."code" in (?, ?))' +
      ` and t0."title" like ? escape '\\') order by t0.id asc limit ? offset ? [a|b|%5\\%%]`,
  );
});

test('a path through a component reads its JSON', () => {
  const wide: Condition = { path: ['cover', 'width'], operator: 'gte', value: 20 };
  expect(sql(wide, 'plain')).toBe(
    `select … from "book" as t0 where json_extract(t0."cover", '$."width"') >= ? order by t0.id asc limit ? offset ? [20]`,
  );
});

test('a sort through a relation keeps rows without one', () => {
  expect(sql(long, 'plain', { sort: [{ path: ['author', 'born'], descending: true }] })).toBe(
    'select … from "book" as t0 left join "author" as t1 on t1."id" = t0."author_id" where t0."pages" >= ?' +
      ' order by t1."born" desc nulls first, t0.id asc limit ? offset ? [300]',
  );
});

test('every count omits joins that only the order needs', () => {
  const find: Find = { type: 'book', where: long, sort: [{ path: ['author', 'born'] }] };
  expect(compileSql(find, new Tables(schema, false), 'plain').count.trim()).toBe(
    'select count(*) from "book" as t0  where t0."pages" >= ?',
  );
});

test('a negated condition for MongoDB excludes nulls and applies to all related entries', () => {
  const negated = (where: Condition) => mongoCondition({ type: 'book', where: { not: where } }, schema);
  expect(negated(long)).toEqual({ pages: { $lt: 300 } });
  expect(negated(byAuthor)).toEqual({
    $and: [{ 'author.name': { $ne: null } }, { $nor: [{ 'author.name': 'Ada' }] }],
  });
  expect(negated(onShelf)).toEqual({ $nor: [{ 'shelves.code': { $in: ['a', 'b'] } }] });
});

test('the URL expresses the same query for Strapi', () => {
  const find: Find = {
    type: 'book',
    where: { and: [byAuthor, { or: [long, { not: titled }] }] },
    sort: [{ path: ['author', 'born'], descending: true }, { path: ['title'] }],
    fields: ['title', 'pages'],
    populate: { author: {}, shelves: { books: {} } },
    page: 2,
    search: 'sea',
  };
  expect(decodeURIComponent(urlOf(find, 'books'))).toBe(
    '/api/books?filters[author][name][$eq]=Ada&filters[$or][0][pages][$gte]=300&filters[$or][1][$not][title][$containsi]=5%' +
      '&_q=sea&fields=title,pages&populate[author]=true&populate[shelves][populate][books]=true' +
      '&sort=author.born:desc,title&pagination[page]=2',
  );
});
