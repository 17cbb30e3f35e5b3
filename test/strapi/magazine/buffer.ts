import type { Data, Strapi } from '../fill/strapi.ts';

/** Rows in one statement; PostgreSQL takes 65,535 values. */
const batch = 1000;

/**
 * Collects what is to be inserted, and inserts it in batches: what links refer to stands in the database before they
 * do. Rows of content types and components come as Strapi's attributes, links as columns of their table.
 */
export class RowBuffer {
  readonly #strapi: Strapi;
  readonly #rows = new Map<string, Data[]>();
  readonly #links = new Map<string, Data[]>();
  #size = 0;

  constructor(strapi: Strapi) {
    this.#strapi = strapi;
  }

  addRow(uid: string, row: Data): void {
    this.#add(this.#rows, uid, row);
  }

  addLink(table: string, row: Data): void {
    this.#add(this.#links, table, row);
  }

  /** Inserts what was added, if it is much. */
  async flushSome(): Promise<void> {
    if (this.#size > 20 * batch) await this.flush();
  }

  async flush(): Promise<void> {
    const { db } = this.#strapi;
    for (const [uid, data] of inBatches(this.#rows)) await db.query(uid).createMany({ data });
    for (const [table, rows] of inBatches(this.#links)) await db.getConnection(table).insert(rows);
    this.#rows.clear();
    this.#links.clear();
    this.#size = 0;
  }

  #add(lists: Map<string, Data[]>, key: string, row: Data): void {
    const list = lists.get(key);
    if (list) list.push(row);
    else lists.set(key, [row]);
    this.#size++;
  }
}

function* inBatches(lists: Map<string, Data[]>): Generator<[string, Data[]]> {
  for (const [key, rows] of lists) {
    for (let i = 0; i < rows.length; i += batch) yield [key, rows.slice(i, i + batch)];
  }
}
