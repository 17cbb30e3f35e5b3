import type { Row } from '../content/rows.ts';
import { reply } from '../content/shape.ts';
import { defaultPageSize, drawSets, type Find, type TunedSql } from '../query.ts';
import { columnsOf, populateRows, Statements } from '../sqlite/populate.ts';
import { type Sqlite, Tables } from '../sqlite/tables.ts';
import { joined, readyStrings } from './floors.ts';
import { shapers } from './objects.ts';
import type { Answerer, Peer, PeerContent } from './peer.ts';

/** Makes the reply of the rows of a page. */
interface Writer {
  /** What is read of each row, and the table in which it stands. */
  source(find: Find): Source;
  reply(rows: Row[], find: Find, total: number): Buffer;
}

interface Source {
  columns: string;
  table: string;
}

/** better-sqlite3 in memory with the statements and indexes that each query brings along. It declines all others. */
function open({ rows, queries }: PeerContent, makeWriter: (tables: Tables, database: Sqlite) => Writer): Answerer {
  const tables = new Tables(rows.schema, false);
  const database = tables.fill(rows);
  const { source, reply: write } = makeWriter(tables, database);
  const finders = new Map<string, Finder>();
  for (const query of queries) {
    const { name, tuned } = query;
    if (!tuned) continue;
    database.exec(tuned.setup);
    const [{ find }] = drawSets(query, rows, 1);
    finders.set(name, finder(database, tuned, source(find)));
  }
  database.exec('analyze');
  return ({ name }) => {
    const found = finders.get(name);
    if (!found) return null;
    return ({ find, operands }) => {
      const { page = 1, pageSize = defaultPageSize } = find;
      const { rows: pageRows, total } = found(bound(operands), pageSize, (page - 1) * pageSize);
      return write(pageRows, find, total);
    };
  };
}

type Finder = (operands: object, limit: number, offset: number) => { rows: Row[]; total: number };

/**
 * The page is found in a covering index, and only its rows are then read. A cross join keeps SQLite from turning the
 * two around, so that the rows come in the order of the page.
 */
function finder(database: Sqlite, { ids, count, unique }: TunedSql, { columns, table }: Source): Finder {
  const whole = (page: string) =>
    database.prepare(`select ${columns} from (${page}) as page cross join "${table}" as entry on entry.id = page.id`);
  if (unique) {
    const select = whole(ids);
    return (operands) => {
      const rows = select.all(operands) as Row[];
      return { rows, total: rows.length };
    };
  }
  if (count) {
    const select = whole(`${ids} limit :limit offset :offset`);
    const counted = database.prepare(count).pluck();
    return (operands, limit, offset) => ({
      rows: select.all({ ...operands, limit, offset }) as Row[],
      total: counted.get(operands) as number,
    });
  }
  const all = database.prepare(ids).pluck();
  const select = whole('select value as id from json_each(:ids) order by key');
  return (operands, limit, offset) => {
    const matches = all.all(operands) as number[];
    const page = JSON.stringify(matches.slice(offset, offset + limit));
    return { rows: select.all({ ids: page }) as Row[], total: matches.length };
  };
}

/** better-sqlite3 takes no booleans and no lists. */
function bound(operands: object): object {
  const values = Object.entries(operands).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(values);
}

export const sqliteTuned: Peer = {
  name: 'sqlite-tuned',
  title: 'sqlite, tuned by hand',
  colour: '#7fb2e5',
  packages: ['better-sqlite3'],
  open: (content) =>
    open(content, (tables, database) => {
      const statements = new Statements(database);
      const shape = shapers(tables.schema, true);
      return {
        source: (find) => ({ columns: columnsOf(tables, find, 'entry'), table: find.type }),
        reply(rows, find, total) {
          if (find.populate) populateRows(tables, statements, find.type, rows, find.populate);
          return reply(rows.map(shape(find)), find, total);
        },
      };
    }),
};

/** Stands alone, as a closure beside `source` would keep the rows in memory. */
function joinedReply(rows: Row[], find: Find, total: number): Buffer {
  const texts = rows.map(({ ready }) => ready as string);
  return joined(texts, find, total);
}

/** One more table for each form of an entry that the queries ask for holds its JSON, ready to be joined. */
export const sqliteReady: Peer = {
  name: 'sqlite-tuned-ready',
  title: 'sqlite, tuned by hand, ready JSON',
  colour: '#b4d3f2',
  packages: ['better-sqlite3'],
  open: (content) =>
    open(content, (_tables, database) => {
      const tables = new Map<string, string>();
      return {
        source(find) {
          const form = JSON.stringify([find.type, find.fields, find.populate]);
          if (!tables.has(form)) {
            const table = `ready_${tables.size}`;
            tables.set(form, table);
            const text = readyStrings(content.rows)(find);
            database.exec(`create table ${table} (id integer primary key, ready text) strict`);
            const insert = database.prepare(`insert into ${table} (id, ready) values (?, ?)`);
            database.transaction(() => {
              for (const row of content.rows.type(find.type)) insert.run(row.id, text(row));
            })();
          }
          return { columns: 'entry.ready', table: tables.get(form)! };
        },
        reply: joinedReply,
      };
    }),
};
