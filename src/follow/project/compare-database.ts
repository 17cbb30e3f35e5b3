import { type Batch, batchLimits, isWithinLimits } from '../../changes/batch/batch.ts';
import { formatNumber } from '../../core/problems.ts';
import { IdTable } from '../../core/sets/id-table.ts';
import { takeInTurns } from '../../core/steps.ts';
import type { ContentTables, LinkLine } from '../../load/database/database-tables.ts';
import type { LinkTable, TypeTable } from '../../load/database/table-mapping.ts';
import type { Schema } from '../../model/schema/schema.ts';
import { linkName } from '../../store/writer/links/store-links.ts';
import { type ComparedContent, ContentComparison } from '../compare/content-comparison.ts';
import type { ContentState } from '../compare/content-state.ts';
import type { ChangedEntries, TableMarks, TableTracking, TrackedState } from '../database/followed-database.ts';
import { changedLists } from './changed-lists.ts';
import type { Extent } from './comparison-schedule.ts';

/** What is kept of a state of a database, by which a later state is compared. Immutable. */
export interface DatabaseDigests {
  readonly content: ContentState;
  readonly marks: TableMarks;
}

interface ComparedDatabase extends ComparedContent {
  readonly digests: DatabaseDigests;
  /** For the log: how many entries only a comparison of all has found. Null if there are none. */
  readonly reason: string | null;
}

/**
 * Compares a state of a database with an earlier state. The extent `changes` reads the rows that may have changed, all rows
 * of types whose changes are unknown, and the links whose table differs. `entries` and `everything` read more (see
 * `Extent`). Resolves to null if a batch cannot hold all changes.
 */
export async function compareDatabase(
  { content, marks }: DatabaseDigests,
  state: TrackedState,
  tables: ContentTables,
  extent: Extent,
): Promise<ComparedDatabase | null> {
  const comparison = new ContentComparison(content, true);
  const tracking = state.track(tables.mapping, marks, extent);
  const changes = new Map<string, ChangedEntries>();
  for (const type of entryTables(content.schema, tables)) {
    const { uid } = type;
    const found = await tracking.entries(type, (content.entries.get(uid) ?? IdTable.empty).ids);
    if (found) changes.set(uid, found);
    if (extent === 'entries' && (await tracking.hasSameEntries(uid))) continue;
    if (extent !== 'changes' || !found) {
      comparison.entries.readWhole(uid);
      await takeInTurns(tables.entities(uid), (entity) => comparison.entries.add(entity));
    } else {
      const ids = new Set([...found.changed, ...found.uncertain]);
      if (ids.size + found.gone.length > batchLimits.entities) return null;
      for (const id of found.gone) comparison.entries.remove(uid, id);
      await takeInTurns(tables.entities(uid, ids), (entity) => comparison.entries.add(entity));
    }
  }
  comparison.beginLinks();
  for (const table of tables.mapping.links) {
    const lists = extent === 'everything' ? null : await changedLists(comparison, state.database, table, tracking);
    if (lists?.size === 0) continue;
    await readLinks(comparison, tables, table, tracking, { lists });
  }
  const compared = comparison.finish();
  if (!isWithinLimits(compared.batch, compared.bytes)) return null;
  const digests = { content: compared.state, marks: await tracking.finish(compared.batch) };
  return { ...compared, digests, reason: extent === 'changes' ? null : withoutTime(compared.batch, changes) };
}

/** The tables of the content types. */
export function entryTables({ types }: Schema, { mapping }: ContentTables): TypeTable[] {
  return [...mapping.types.values()].filter(({ uid }) => types.get(uid)!.kind !== 'component');
}

interface LinkReading {
  take?(link: LinkLine): void;
  /** The lists that are read, by their ids in `listColumn`. Null: all. */
  readonly lists?: ReadonlySet<number> | null;
}

/** Reads the links of a table into a comparison, with turns of the event loop. */
export async function readLinks(
  comparison: ContentComparison,
  tables: ContentTables,
  table: LinkTable,
  tracking: TableTracking | null,
  { take, lists = null }: LinkReading = {},
): Promise<void> {
  let longest = 0;
  comparison.beginTable();
  await takeInTurns(tables.links(table, lists), (link) => {
    const { type, field } = link.right;
    longest = Math.max(longest, (type?.length ?? 0) + (field?.length ?? 0));
    take?.(link);
    comparison.addLink(link);
  });
  comparison.endTable(linkName(table.uid, table.attribute), lists);
  await tracking?.readLinks(table, longest);
}

/** Returns a clause for the log about entries of a batch whose tables do not say that they have changed. */
function withoutTime({ entities }: Batch, changes: ReadonlyMap<string, ChangedEntries>): string | null {
  const noted = new Map(
    Array.from(changes, ([uid, { changed, gone }]) => [uid, new Set([...changed, ...gone])] as const),
  );
  const entries = entities.filter(({ type, id }) => noted.get(type)?.has(id) === false).length;
  if (entries === 0) return null;
  const written = entries === 1 ? '1 entry was' : `${formatNumber(entries)} entries were`;
  return `${written} written without a new time of change, and found by a comparison of all entries`;
}
