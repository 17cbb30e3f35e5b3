/** Random edits of a Strapi's database on MariaDB, by any program: with and without a time of change. */
import { quote } from '../../../src/load/database/database.ts';
import type { LinkTable, TableMapping, TypeTable } from '../../../src/load/database/table-mapping.ts';
import type { RandomNumber } from '../postgres/sql-edits.ts';
import type { MysqlServer } from './mysql-server.ts';

/** Edits the tables of a mapping. Some edits change nothing. */
export class MariadbEdits {
  readonly #server: MysqlServer;
  readonly #database: string;
  readonly #mapping: TableMapping;
  readonly #random: RandomNumber;

  constructor(server: MysqlServer, database: string, mapping: TableMapping, random: RandomNumber) {
    this.#server = server;
    this.#database = database;
    this.#mapping = mapping;
    this.#random = random;
  }

  /** Makes some edits in a transaction, and sometimes rolls it back. */
  transaction(): void {
    const edits = Array.from({ length: Math.ceil(this.#random() * 3) }, () => this.#edit());
    const end = this.#random() < 0.1 ? 'ROLLBACK' : 'COMMIT';
    // IGNORE leaves out the rows that a key refuses
    this.#query(['BEGIN', ...edits.filter((edit) => edit !== null), end].join(';\n'));
  }

  #edit(): string | null {
    const type = this.#pick([...this.#mapping.types.values()].filter(({ uid }) => !uid.startsWith('plugin::i18n')));
    const link = this.#pick(this.#mapping.links);
    return this.#pick([
      () => this.#changeValue(type),
      () => this.#changeValue(type),
      () => this.#copy(type),
      () => `DELETE FROM ${quote(type.table)} WHERE id = ${this.#anyId(type.table)}`,
      () => this.#changeLink(link),
      () => this.#changeLink(link),
      () => this.#changeComponents(type),
      () => `UPDATE up_users SET blocked = NOT blocked WHERE id = ${this.#anyId('up_users')}`,
    ])();
  }

  /** Gives a row the value that another one has. */
  #changeValue({ table, columns }: TypeTable): string | null {
    const kept = new Set(['documentId', 'locale', 'publishedAt']);
    const editable = columns.filter(({ attribute }) => !kept.has(attribute));
    if (editable.length === 0) return null;
    const column = quote(this.#pick(editable).column);
    return (
      `SET @value = (SELECT ${column} FROM ${quote(table)} WHERE id = ${this.#anyId(table)});\n` +
      `UPDATE IGNORE ${quote(table)} SET ${column} = @value WHERE id = ${this.#anyId(table)}`
    );
  }

  #copy({ table, isComponent }: TypeTable): string {
    const names = this.#query(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = database() AND table_name = '${table}' AND column_name <> 'id'`,
    ).split('\n');
    const values = names.map((name) =>
      name === 'document_id' && !isComponent ? `'copy-${this.#random()}'` : quote(name),
    );
    return `INSERT IGNORE INTO ${quote(table)} (${names.map(quote)}) SELECT ${values} FROM ${quote(table)} WHERE id = ${this.#anyId(table)}`;
  }

  #changeLink(link: LinkTable): string {
    const table = quote(link.table);
    const row = `WHERE id = ${this.#anyId(link.table)}`;
    if (link.source === 'id') return `UPDATE ${table} SET ${quote(link.targetId)} = NULL ${row}`;
    const source = this.#mapping.types.get(link.uid)!.table;
    const orders = link.kind === 'relation' ? [link.order, link.inverseOrder] : link.many ? ['order'] : [];
    const order = orders.find((name) => name !== null);
    return this.#pick([
      `DELETE FROM ${table} ${row}`,
      `UPDATE IGNORE ${table} SET ${quote(link.source)} = ${this.#anyId(source)} ${row}`,
      ...(order ? [`UPDATE ${table} SET ${quote(order)} = ${Math.ceil(this.#random() * 20) / 2} ${row}`] : []),
    ]);
  }

  /** Moves a component, in its list or to another row, or takes it away. */
  #changeComponents({ table, components }: TypeTable): string | null {
    if (!components) return null;
    const owners = quote(components.table);
    const row = `WHERE id = ${this.#anyId(components.table)}`;
    return this.#pick([
      `UPDATE ${owners} SET "order" = ${Math.ceil(this.#random() * 9)} ${row}`,
      `UPDATE IGNORE ${owners} SET entity_id = ${this.#anyId(table)} ${row}`,
      `DELETE FROM ${owners} ${row}`,
    ]);
  }

  /** The id of one of the rows, 0 without any. */
  #anyId(table: string): string {
    const ids = this.#query(`SELECT id FROM ${quote(table)} ORDER BY id`).split('\n');
    return ids[Math.floor(this.#random() * ids.length)] || '0';
  }

  #query(sql: string): string {
    return this.#server.query(`SET sql_mode = 'ANSI_QUOTES';\n${sql}`, this.#database).trimEnd();
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)];
  }
}
