/** Finds the entries whose rows or components differ from an earlier state. */
import { mapAt } from '../../core/map-at.ts';
import { type Database, idList, quote } from './database.ts';
import type { MarkedTable, RowChanges, TableChanges } from './row-changes.ts';
import { componentColumns, linkColumns, listColumn, type TableMapping, type TypeTable } from './table-mapping.ts';

/** By uid of a content type: ids of entries. */
export type EntryIds = Map<string, Set<number>>;

/** The tables of a mapping, each once. Tables of components and links keep the row that each of them belongs to. */
export function markedTables({ types, links }: TableMapping): MarkedTable[] {
  const tables = new Map<string, { kept: string | null; columns: Set<string> }>();
  const add = (name: string, kept: string | null, columns: readonly string[]) => {
    const table = mapAt(tables, name, () => ({ kept: null, columns: new Set<string>() }));
    table.kept ??= kept;
    for (const column of columns) table.columns.add(column);
  };
  for (const { table, columns, components } of types.values()) {
    add(
      table,
      null,
      columns.map(({ column }) => column),
    );
    if (components) add(components.table, 'entity_id', componentColumns);
  }
  for (const link of links) add(link.table, link.source === 'id' ? null : listColumn(link), linkColumns(link));
  return Array.from(tables, ([name, { kept, columns }]) => {
    columns.delete('id');
    return { name, kept, columns: [...columns] };
  });
}

/**
 * Returns the entries with a component that is new, changed, moved or gone, at any depth, besides those whose own row has
 * changed. An entry may be missing in the state by now.
 */
export async function ownersOfChanges(
  database: Database,
  mapping: TableMapping,
  changes: RowChanges,
): Promise<EntryIds> {
  const entries: EntryIds = new Map();
  /** Rows of components whose owners are to be found, and all that ever were. */
  let open: EntryIds = new Map();
  const seen: EntryIds = new Map();
  const note = (uid: string, ids: Iterable<number>) => {
    const { isComponent } = mapping.types.get(uid)!;
    const known = setAt(isComponent ? seen : entries, uid);
    for (const id of ids) {
      if (isComponent && !known.has(id)) setAt(open, uid).add(id);
      known.add(id);
    }
  };
  for (const { uid, table, isComponent, components } of mapping.types.values()) {
    const ofRows = changes.get(table);
    if (ofRows && isComponent) note(uid, [...ofRows.written, ...ofRows.gone]);
    const ofComponents = components && changes.get(components.table);
    if (ofComponents) note(uid, ownersIn(ofComponents));
  }
  while (open.size > 0) {
    const rows = open;
    open = new Map();
    for (const [uid, ids] of await ownersOf(database, mapping, rows)) note(uid, ids);
  }
  return entries;
}

/** Returns the owners of the rows of a table of components, before and after. */
function* ownersIn({ written, gone, before, after }: TableChanges): Generator<number> {
  for (const id of [...written, ...gone]) {
    for (const owner of [before.get(id), after.get(id)]) if (owner !== undefined && !Number.isNaN(owner)) yield owner;
  }
}

/** Returns the rows that contain some of the components directly, by uid. */
async function ownersOf(database: Database, mapping: TableMapping, rows: EntryIds): Promise<EntryIds> {
  const owners: EntryIds = new Map();
  const selects: string[] = [];
  const parents: TypeTable[] = [];
  const parameters: string[] = [];
  for (const parent of mapping.types.values()) {
    if (!parent.components) continue;
    const { table, fields } = parent.components;
    const accepted = new Set(Array.from(fields.values()).flatMap(({ accepts }) => accepts));
    const wanted = [...rows].filter(([uid]) => accepted.has(uid));
    if (wanted.length === 0) continue;
    const conditions = wanted.map(([uid, ids]) => {
      parameters.push(uid);
      return `("component_type" = ? AND "cmp_id" IN (${idList(ids)}))`;
    });
    selects.push(`SELECT ${parents.length}, "entity_id" FROM ${quote(table)} WHERE ${conditions.join(' OR ')}`);
    parents.push(parent);
  }
  if (selects.length === 0) return owners;
  for (const [parent, id] of await database.all(selects.join(' UNION '), parameters)) {
    if (id !== null) setAt(owners, parents[Number(parent)].uid).add(Number(id));
  }
  return owners;
}

function setAt(sets: EntryIds, uid: string): Set<number> {
  return mapAt(sets, uid, () => new Set<number>());
}
