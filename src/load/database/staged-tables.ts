import type { ContentTables, EntityLine, LinkLine } from './database-tables.ts';
import type { LinkTable, TableMapping } from './table-mapping.ts';

/** Entries and links in memory. */
export class StagedTables implements ContentTables {
  readonly mapping: TableMapping;
  /** By uid and id. */
  readonly #entries = new Map<string, Map<number, EntityLine>>();
  readonly #links = new Map<LinkTable, readonly LinkLine[]>();

  constructor(mapping: TableMapping) {
    this.mapping = mapping;
  }

  async *entities(uid: string, ids?: Iterable<number>): AsyncGenerator<EntityLine[]> {
    const lines = this.#entries.get(uid) ?? new Map<number, EntityLine>();
    const sorted = Float64Array.from(ids ?? lines.keys()).sort();
    yield Array.from(sorted).flatMap((id) => lines.get(id) ?? []);
  }

  async *links(table: LinkTable): AsyncGenerator<LinkLine[]> {
    yield [...(this.#links.get(table) ?? [])];
  }

  /** Reads everything. */
  async read(tables: ContentTables): Promise<void> {
    for (const { uid, isComponent } of this.mapping.types.values())
      if (!isComponent) await this.readEntries(tables, uid);
    for (const table of this.mapping.links) await this.readLinks(tables, table);
  }

  /** Reads the entries of a type again: all of them, or those with `ids`. */
  async readEntries(tables: ContentTables, uid: string, ids?: ReadonlySet<number>): Promise<void> {
    const lines = this.#entries.get(uid) ?? new Map<number, EntityLine>();
    this.#entries.set(uid, lines);
    if (!ids) lines.clear();
    for (const id of ids ?? []) lines.delete(id);
    for await (const part of tables.entities(uid, ids)) for (const line of part) lines.set(line.id, line);
  }

  async readLinks(tables: ContentTables, table: LinkTable): Promise<void> {
    const links: LinkLine[] = [];
    for await (const part of tables.links(table)) for (const link of part) links.push(link);
    this.#links.set(table, links);
  }
}

/** Returns the tables of links that may differ: `isChanged` says so of a table, `moved` are types with new or deleted rows. */
export function changedLinks(
  { links, types }: TableMapping,
  isChanged: (table: string) => boolean,
  moved: ReadonlySet<string>,
): LinkTable[] {
  return links.filter((link) => {
    // links without a foreign key outlive a deleted row, and apply again if it comes back
    const targets = link.kind === 'relation' ? [link.target] : (link.fields?.keys() ?? types.keys());
    return isChanged(link.table) || [link.uid, ...targets].some((uid) => moved.has(uid));
  });
}
