/** Random edits of a Strapi's database on PostgreSQL, by any program: with and without a time of change. */
import type { Client } from 'pg';
import { quote } from '../../../src/load/database/database.ts';
import type { TableMapping, TypeTable } from '../../../src/load/database/table-mapping.ts';

export type RandomNumber = () => number;

/** Returns numbers below 1, the same for the same seed. */
export function seeded(seed: number): RandomNumber {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Edits the tables of a mapping. Some edits change nothing. */
export class SqlEdits {
  readonly #client: Client;
  readonly #mapping: TableMapping;
  readonly #random: RandomNumber;

  constructor(client: Client, mapping: TableMapping, random: RandomNumber) {
    this.#client = client;
    this.#mapping = mapping;
    this.#random = random;
  }

  /** Makes some edits in a transaction, with savepoints, and sometimes rolls it back. */
  async transaction(): Promise<void> {
    await this.#client.query('BEGIN');
    for (let n = Math.ceil(this.#random() * 3); n > 0; n--) {
      await this.#client.query('SAVEPOINT edit');
      // a unique index may refuse a copy
      const isMade = await this.#edit().then(
        () => this.#random() < 0.9,
        () => false,
      );
      await this.#client.query(isMade ? 'RELEASE SAVEPOINT edit' : 'ROLLBACK TO SAVEPOINT edit');
    }
    await this.#client.query(this.#random() < 0.1 ? 'ROLLBACK' : 'COMMIT');
  }

  async #edit(): Promise<void> {
    const entries = [...this.#mapping.types.values()].filter(({ uid }) => !uid.startsWith('plugin::i18n'));
    const type = this.#pick(entries);
    const edits = [
      () => this.#changeValue(type),
      () => this.#changeValue(type),
      () => this.#copy(type),
      () => this.#delete(type.table),
      () => this.#changeLinks(),
      () => this.#changeLinks(),
      () => this.#changeComponents(type),
      () => this.#run(`UPDATE up_users SET blocked = NOT blocked WHERE id = ${this.#anyId('up_users')}`),
    ];
    await this.#pick(edits)();
  }

  /** Gives a row the value that another one has. */
  async #changeValue({ table, columns }: TypeTable): Promise<void> {
    const kept = new Set(['documentId', 'locale', 'publishedAt']);
    const editable = columns.filter(({ attribute }) => !kept.has(attribute));
    if (editable.length === 0) return;
    const column = quote(this.#pick(editable).column);
    const other = `(SELECT ${column} FROM ${quote(table)} WHERE id = ${this.#anyId(table)})`;
    await this.#run(`UPDATE ${quote(table)} SET ${column} = ${other} WHERE id = ${this.#anyId(table)}`);
  }

  /** Copies a row as another document, with links to the same components. */
  async #copy({ table, isComponent, components }: TypeTable): Promise<void> {
    const id = await this.#copyRow(table, isComponent ? '' : 'document_id', `'copy-${this.#random()}'`);
    if (id === null || !components || this.#random() < 0.5) return;
    const owners = quote(components.table);
    await this.#run(`UPDATE ${owners} SET entity_id = ${id} WHERE id = ${this.#anyId(components.table)}`);
  }

  async #copyRow(table: string, changed: string, value: string): Promise<number | null> {
    const columns = await this.#client.query(
      `SELECT attname FROM pg_attribute WHERE attrelid = '${quote(table)}'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'id'`,
    );
    const names = columns.rows.map(({ attname }) => attname as string);
    const values = names.map((name) => (name === changed ? value : quote(name)));
    const list = names.map(quote).join(', ');
    const { rows } = await this.#client.query(
      `INSERT INTO ${quote(table)} (${list}) SELECT ${values.join(', ')} FROM ${quote(table)} WHERE id = ${this.#anyId(table)} RETURNING id`,
    );
    return rows[0]?.id ?? null;
  }

  async #changeLinks(): Promise<void> {
    const link = this.#pick(this.#mapping.links);
    if (link.source === 'id') {
      const target = `(SELECT ${quote(link.targetId)} FROM ${quote(link.table)} WHERE id = ${this.#anyId(link.table)})`;
      return this.#run(
        `UPDATE ${quote(link.table)} SET ${quote(link.targetId)} = ${target} WHERE id = ${this.#anyId(link.table)}`,
      );
    }
    const source = this.#mapping.types.get(link.uid)!.table;
    const orders = link.kind === 'relation' ? [link.order, link.inverseOrder] : link.many ? ['order'] : [];
    const order = orders.find((name) => name !== null);
    const edits = [
      () => this.#delete(link.table),
      () => this.#copyRow(link.table, link.source, `(SELECT ${this.#anyId(source)})`),
      () =>
        this.#run(
          `UPDATE ${quote(link.table)} SET ${quote(link.source)} = ${this.#anyId(source)} WHERE id = ${this.#anyId(link.table)}`,
        ),
      ...(order
        ? [
            () =>
              this.#run(
                `UPDATE ${quote(link.table)} SET ${quote(order)} = ${Math.ceil(this.#random() * 20) / 2} WHERE id = ${this.#anyId(link.table)}`,
              ),
          ]
        : []),
    ];
    await this.#pick(edits)();
  }

  /** Moves a component, in its list or to another row, or takes it away. */
  async #changeComponents({ table, components }: TypeTable): Promise<void> {
    if (!components) return;
    const owners = quote(components.table);
    const row = `WHERE id = ${this.#anyId(components.table)}`;
    await this.#run(
      this.#pick([
        `UPDATE ${owners} SET "order" = ${Math.ceil(this.#random() * 9)} ${row}`,
        `UPDATE ${owners} SET entity_id = ${this.#anyId(table)} ${row}`,
        `DELETE FROM ${owners} ${row}`,
      ]),
    );
  }

  #delete(table: string): Promise<void> {
    return this.#run(`DELETE FROM ${quote(table)} WHERE id = ${this.#anyId(table)}`);
  }

  /** A subquery for the id of one of the rows. */
  #anyId(table: string): string {
    const place = this.#random();
    return `(SELECT id FROM ${quote(table)} ORDER BY id OFFSET (SELECT floor(count(*) * ${place}) FROM ${quote(table)}) LIMIT 1)`;
  }

  async #run(sql: string): Promise<void> {
    await this.#client.query(sql);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)];
  }
}
