import type { TableMapping } from '../../load/database/table-mapping.ts';
import type { TablePages } from '../../load/database/table-pages.ts';
import type { ContentState } from '../compare/content-state.ts';
import type { IdTable } from '../compare/id-table.ts';

/** Digests of a copy of a database, by which a later copy is compared. Immutable. */
export interface DatabaseDigests {
  readonly content: ContentState;
  /** By uid of a content type: when each row was last changed. Without types that have no `updatedAt`. */
  readonly versions: ReadonlyMap<string, TableVersions>;
  /** By uid and name of an owning attribute: a digest of its links. Null if unknown. */
  readonly links: ReadonlyMap<string, string | null>;
  /** By uid of a content type: its digest by `entriesDigests` where that still describes the entries. */
  readonly digests: ReadonlyMap<string, string>;
  /** When the copy was made, in milliseconds since 1970. */
  readonly copiedAt: number;
}

export interface TableVersions {
  readonly checksum: string;
  /** By id: milliseconds since 1970, or NaN. */
  readonly changedAt: IdTable;
}

/**
 * Returns a digest of the rows and components of each content type, by uid. Types whose digest is unknown are missing.
 */
export function entriesDigests(uids: Iterable<string>, mapping: TableMapping, pages: TablePages): Map<string, string> {
  // types share components
  const known = new Map<string, string | null>();
  const digestOf = (table: string) => {
    let digest = known.get(table);
    if (digest === undefined) known.set(table, (digest = pages.digest(table, true)));
    return digest;
  };
  const digests = new Map<string, string>();
  for (const uid of uids) {
    const ofTables = Array.from(tablesOf(uid, mapping), digestOf);
    if (!ofTables.includes(null)) digests.set(uid, ofTables.join(' '));
  }
  return digests;
}

/** Returns the tables of a content type, of its components, and of those inside them. */
function tablesOf(uid: string, { types }: TableMapping): Set<string> {
  const tables = new Set<string>();
  const uids = new Set([uid]);
  // grows while it is walked
  for (const each of uids) {
    const type = types.get(each);
    if (!type) continue;
    tables.add(type.table);
    if (!type.components) continue;
    tables.add(type.components.table);
    for (const { accepts } of type.components.fields.values()) for (const component of accepts) uids.add(component);
  }
  return tables;
}
