import { userType } from '../model/schema.ts';
import { type Collection, columnOf } from '../store/collection.ts';
import { type Store, segmentOf } from '../store/store.ts';

/** The attributes of a user that decide whether to let the user in. */
export interface StoredUser {
  /** Null for a document without one. */
  readonly documentId: string | null;
  /** The `type` of the user's role; null without a role, or where the attribute is private. */
  readonly role: string | null;
  readonly confirmed: boolean;
}

/** Reads a user by id from the columns. Undefined if there is none or it is dead. */
export function findUser(store: Store, id: number): StoredUser | undefined {
  const { byUid, segments } = store;
  const users = byUid.get(userType);
  if (!users) return undefined;
  const row = rowOfId(users, id);
  if (row === undefined || !segments[users.number].isLive(row)) return undefined;
  return {
    documentId: textOf(users, 'documentId', row),
    role: roleOf(store, users, row),
    confirmed: isTrue(users, 'confirmed', row),
  };
}

function rowOfId(users: Collection, id: number): number | undefined {
  const { dictionary, index } = columnOf(users, 'id');
  const value = dictionary.find(id);
  return value < 0 ? undefined : index.rows[index.offsets[value + 1]];
}

function roleOf(store: Store, { type, links }: Collection, row: number): string | null {
  const attribute = type.attributes.get('role');
  const adjacency = links.get('role')?.forward;
  if (attribute?.kind !== 'relation' || !adjacency) return null;
  const roles = segmentOf(store, attribute.target);
  const { offsets, targets } = adjacency;
  const role = targets.subarray(offsets[row], offsets[row + 1]).find((target) => roles.isLive(target));
  return role === undefined ? null : textOf(roles.collection, 'type', role);
}

/** The text of a column at a row; null if it is null or the collection has no such column. */
function textOf({ columns }: Collection, name: string, row: number): string | null {
  const column = columns.get(name);
  const code = column?.codes[row] ?? 0;
  return code > 0 && column?.dictionary.kind === 'text' ? column.dictionary.text(code - 1) : null;
}

/** Returns whether a column of booleans is true at a row. */
function isTrue({ columns }: Collection, name: string, row: number): boolean {
  const column = columns.get(name);
  const code = column?.codes[row] ?? 0;
  return code > 0 && column?.dictionary.kind === 'number' && column.dictionary.values[code - 1] === 1;
}
