import { compileSql, type Style } from '../compile/sql.ts';
import type { Row, Rows } from '../content/rows.ts';
import { reply } from '../content/shape.ts';
import { comparisonsIn, defaultPageSize, drawSets, type Query } from '../query.ts';
import { populateRows, Statements } from '../sqlite/populate.ts';
import { Tables } from '../sqlite/tables.ts';
import { shapers } from './objects.ts';
import type { Answerer, Peer, PeerContent } from './peer.ts';

/**
 * better-sqlite3 in memory. Both sides of every relation, and every attribute that a query filters or sorts by, are
 * indexed. The SQL is compiled for each query, one select for the page and one for the count, and prepared once for
 * each form.
 */
function open({ rows, queries }: PeerContent, style: Style): Answerer {
  const tables = new Tables(rows.schema, style === 'strapi');
  const database = tables.fill(rows);
  for (const [type, attribute] of usedAttributes(queries, rows)) {
    database.exec(`create index "${type}.${attribute}" on "${type}" ("${attribute}")`);
  }
  database.exec('analyze');
  const statements = new Statements(database);
  const shape = shapers(rows.schema, true);
  return () =>
    ({ find }) => {
      const { page = 1, pageSize = defaultPageSize, type, populate } = find;
      const { select, count, values } = compileSql(find, tables, style);
      const found = statements.prepared(select).all(...values, pageSize, (page - 1) * pageSize) as Row[];
      const total = statements
        .prepared(count)
        .pluck()
        .get(...values) as number;
      if (populate) populateRows(tables, statements, type, found, populate);
      return reply(found.map(shape(find)), find, total);
    };
}

/** The attributes that the queries filter and sort by, with their types. */
function usedAttributes(queries: Query[], rows: Rows): [string, string][] {
  const used = new Map<string, [string, string]>();
  for (const query of queries) {
    for (const { find } of drawSets(query, rows, query.newForms ? 100 : 1)) {
      const paths = [...comparisonsIn(find.where), ...(find.sort ?? [])].map(({ path }) => path);
      for (const path of paths) {
        let type = find.type;
        for (const name of path.slice(0, -1)) type = rows.schema.attribute(type, name).target!;
        const name = path.at(-1)!;
        if (name !== 'id') used.set(`${type}.${name}`, [type, name]);
      }
    }
  }
  return [...used.values()];
}

export const sqliteStrapi: Peer = {
  name: 'sqlite-strapi',
  title: 'sqlite, generic SQL as Strapi writes it',
  colour: '#174a80',
  packages: ['better-sqlite3'],
  open: (content) => open(content, 'strapi'),
};

export const sqliteGeneric: Peer = {
  name: 'sqlite-generic',
  title: 'sqlite, generic SQL of a good compiler',
  colour: '#2f74c0',
  packages: ['better-sqlite3'],
  open: (content) => open(content, 'plain'),
};
