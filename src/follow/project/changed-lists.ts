import { type Database, idList, quote } from '../../load/database/database.ts';
import { type LinkTable, listColumn } from '../../load/database/table-mapping.ts';
import type { ContentComparison } from '../compare/content-comparison.ts';
import type { TableTracking } from '../database/followed-database.ts';

/** The most lists of a table that are read by their ids. More are read with all others. */
const maxLists = 5000;

type MovedRows = ContentComparison['moved'];

/** Returns the lists of a table that may differ, by their ids in `listColumn`: empty if all are the same, null for any. */
export async function changedLists(
  { moved }: ContentComparison,
  database: Database,
  table: LinkTable,
  tracking: TableTracking,
): Promise<ReadonlySet<number> | null> {
  const isSame = await tracking.hasSameLinks(table);
  const changed = isSame ? new Set<number>() : await tracking.changedLists?.(table);
  if (!changed) return null;
  if (!tracking.changedLists) return (await hasLinksOf(database, table, moved)) ? null : changed;
  const lists = new Set([...changed, ...(await movedLists(database, table, moved))]);
  return lists.size <= maxLists ? lists : null;
}

/**
 * Returns the lists with links from or to rows that are new or deleted. Links without a foreign key outlive a deleted row,
 * and apply again if it comes back.
 */
async function movedLists(database: Database, link: LinkTable, moved: MovedRows): Promise<Set<number>> {
  const { table, source, targetId } = link;
  const list = listColumn(link);
  const lists = new Set<number>();
  const add = async (column: string, ids: ReadonlySet<number> = new Set(), type: string | null = null) => {
    if (column === list) for (const id of ids) lists.add(id);
    if (column === list || ids.size === 0) return;
    const typed = type !== null && link.kind === 'polymorphic' ? ` AND ${quote(link.targetType)} = ?` : '';
    const where = `${quote(column)} IN (${idList(ids)})${typed}`;
    const statement = `SELECT DISTINCT ${quote(list)} FROM ${quote(table)} WHERE ${where}`;
    for (const [id] of await database.all(statement, typed === '' ? [] : [type]))
      if (id !== null) lists.add(Number(id));
  };
  await add(source, moved.get(link.uid));
  if (link.kind === 'relation') await add(targetId, moved.get(link.target));
  else for (const [uid, ids] of moved) await add(targetId, ids, uid);
  return lists;
}

/** Whether a table has links from or to rows that are new or deleted. */
async function hasLinksOf(database: Database, link: LinkTable, moved: MovedRows): Promise<boolean> {
  const { table, source, targetId } = link;
  const has = async (uid: string, condition: (ids: string) => string, parameters: readonly string[] = []) => {
    const ids = moved.get(uid);
    if (!ids?.size) return false;
    const where = condition(idList(ids));
    const statement = `SELECT 1 AS "found" FROM ${quote(table)} WHERE ${where} LIMIT 1`;
    return (await database.all(statement, parameters)).length > 0;
  };
  if (await has(link.uid, (ids) => `${quote(source)} IN (${ids}) AND ${quote(targetId)} IS NOT NULL`)) return true;
  const leadsTo = (ids: string) => `${quote(targetId)} IN (${ids})`;
  if (link.kind === 'relation') return has(link.target, leadsTo);
  const typed = (ids: string) => `${leadsTo(ids)} AND ${quote(link.targetType)} = ?`;
  for (const uid of moved.keys()) if (await has(uid, typed, [uid])) return true;
  return false;
}
