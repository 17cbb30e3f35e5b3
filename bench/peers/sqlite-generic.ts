import { columnIn, compileSql, type Style } from '../compile/sql.ts';
import type { Row, Rows } from '../content/rows.ts';
import type { Schema } from '../content/schema.ts';
import { reply } from '../content/shape.ts';
import { comparisonsIn, defaultPageSize, drawSets, type Find, type Query } from '../query.ts';
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
  for (const [name, [type, column]] of usedColumns(queries, rows)) {
    database.exec(`create index "${name}" on "${type}" (${column})`);
  }
  database.exec('analyze');
  const statements = new Statements(database);
  const shape = shapers(rows.schema, true);
  return (_query, [first]) => {
    // in Strapi components have tables, here they are JSON. No closure refers to `rows`, so that they can be freed
    if (style === 'strapi' && usesComponents(first.find, tables.schema)) return null;
    return ({ find }) => {
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
  };
}

const pathsOf = ({ where, sort = [] }: Find): string[][] => [...comparisonsIn(where), ...sort].map(({ path }) => path);

/** Whether a condition or the order reads inside a component. */
function usesComponents(find: Find, schema: Schema): boolean {
  return pathsOf(find).some((path) =>
    schema.path(find.type, path).some(({ attribute }) => attribute.kind === 'component'),
  );
}

/** The columns that the queries filter and sort by, with their tables. Components are JSON in a column. */
function usedColumns(queries: Query[], rows: Rows): Map<string, [table: string, column: string]> {
  const used = new Map<string, [string, string]>();
  for (const query of queries) {
    for (const { find } of drawSets(query, rows, query.newForms ? 100 : 1)) {
      for (const path of pathsOf(find)) {
        const steps = rows.schema.path(find.type, path);
        const at = steps.findIndex(({ attribute }) => attribute.kind !== 'relation');
        const column = path.slice(at);
        const { type } = steps[at];
        if (column[0] !== 'id') used.set([type, ...column].join('.'), [type, columnIn('', column)]);
      }
    }
  }
  return used;
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
