/** Compares both sides of the links of rows, to find rows that changed between their requests. */
import type { LinkAttribute } from '../../model/schema/schema.ts';
import { LinkTables } from './link-tables.ts';
import type { PulledRows } from './pulled-rows.ts';
import { readRow, type ShownList } from './read-row.ts';
import type { RestTypes } from './rest-types.ts';
import type { Slice } from './slices.ts';

export interface CheckedLinks {
  readonly tables: LinkTables;
  /** The rows whose links lead to no row, or are shown by one side only. */
  readonly suspicious: ReadonlyMap<Slice, ReadonlySet<number>>;
  readonly danglingCount: number;
  readonly oneSidedCount: number;
}

/** Reads all rows and compares their links. */
export async function checkLinks(types: RestTypes, slices: readonly Slice[], rows: PulledRows): Promise<CheckedLinks> {
  const tables = new LinkTables(types);
  const byType = groupByType(slices);
  const suspicious = new Map<Slice, Set<number>>();
  const suspect = (slice: Slice, id: number) => {
    const ids = suspicious.get(slice) ?? new Set();
    suspicious.set(slice, ids.add(id));
  };
  let danglingCount = 0;
  for (const slice of slices) {
    const { type } = slice.readable;
    for await (const batch of rows.batches(slice)) {
      for (const row of batch) {
        for (const list of listsOf(types, slice, readRow(types, type, row).lists)) {
          tables.add(list);
          for (const target of list.targets) {
            if (exists(byType, rows, target.type, target.id)) continue;
            danglingCount++;
            suspect(slice, row.id);
          }
        }
      }
    }
  }
  let oneSidedCount = 0;
  for (const { owner, target } of tables.oneSided()) {
    oneSidedCount++;
    for (const { type, id } of [owner, target]) {
      for (const slice of byType.get(type) ?? []) if (rows.has(slice, id)) suspect(slice, id);
    }
  }
  return { tables, suspicious, danglingCount, oneSidedCount };
}

/** Leaves out the lists of a slice of draft links that repeat those of the published rows. */
export function listsOf(types: RestTypes, slice: Slice, lists: readonly ShownList[]): readonly ShownList[] {
  return slice.isOnlyLinks ? lists.filter(({ attribute }) => isForDrafts(types, attribute)) : lists;
}

function isForDrafts({ schema }: RestTypes, attribute: LinkAttribute): boolean {
  if (attribute.kind === 'polymorphic') return true;
  return attribute.kind === 'relation' && schema.types.get(attribute.target)?.draftAndPublish === true;
}

/** Whether a row was pulled. Rows of types that are not pulled row by row are taken to exist. */
export function exists(
  byType: ReadonlyMap<string, readonly Slice[]>,
  rows: PulledRows,
  uid: string,
  id: number,
): boolean {
  const slices = byType.get(uid);
  return slices === undefined || slices.some((slice) => rows.has(slice, id));
}

/** Returns slices by the uid of their type. */
export function groupByType(slices: readonly Slice[]): ReadonlyMap<string, readonly Slice[]> {
  const groups = new Map<string, Slice[]>();
  for (const slice of slices) {
    const { uid } = slice.readable.type;
    groups.set(uid, [...(groups.get(uid) ?? []), slice]);
  }
  return groups;
}
