/** Roles whose permissions are entries, as in exports. */
import type { RoleDefinition } from '../access/definitions.ts';
import { RoleReader } from '../load/strapi/role-reader.ts';
import { isScalar, permissionType, roleType } from '../model/schema.ts';
import { readText } from '../store/read-value.ts';
import { rowOfId, type Segment } from '../store/segment.ts';
import { segmentOf } from '../store/store.ts';
import type { Batch, BatchLinks } from './batch.ts';
import type { ChangedRows } from './changed-rows.ts';
import { idOfRow, storedLinks } from './stored-links.ts';

/** The attribute of a permission that links to its role. */
const roleAttribute = 'role';

/**
 * Returns the roles after a batch, in the order of their ids. Returns `before` if the batch concerns no role and no
 * permission, or if the store lacks what they consist of, because it is private. Takes a time linear in all permissions.
 */
export function storedRoles(
  rows: ChangedRows,
  { entities }: Batch,
  links: readonly BatchLinks[],
  before: readonly RoleDefinition[],
): readonly RoleDefinition[] {
  const { store } = rows;
  const isTouched = [...entities, ...links].some(({ type }) => type === roleType || type === permissionType);
  const permission = store.schema.types.get(permissionType);
  const grants = permission?.attributes.get(roleAttribute);
  if (!isTouched || !permission || !grants || isScalar(grants) || !store.schema.storesLinks(grants)) return before;
  const [roles, permissions] = [segmentOf(store, roleType), segmentOf(store, permissionType)];
  if (!roles.collection.columns.has('type') || !permissions.collection.columns.has('action')) return before;

  const reader = new RoleReader();
  const given = new Map(entities.map(({ type, id, data }) => [`${type} ${id}`, data]));
  for (const segment of [roles, permissions]) {
    const { uid } = segment.collection.type;
    const valuesOf = (id: number, row: number | undefined) =>
      given.get(`${uid} ${id}`) ?? (row === undefined ? {} : storedValues(segment, row));
    for (const id of idsAfter(rows, segment)) reader.addEntity(uid, { ...valuesOf(id, rowOfId(segment, id)), id });
  }
  const replaced = new Map(
    links
      .filter(({ type, attribute }) => type === permissionType && attribute === roleAttribute)
      .map(({ id, targets }) => [id, targets]),
  );
  for (const id of idsAfter(rows, permissions)) {
    const row = rowOfId(permissions, id);
    const targets = replaced.get(id) ?? (row === undefined ? [] : storedLinks(store, permission, grants, row));
    for (const target of targets) {
      reader.addLink({ type: permissionType, ref: id }, { type: target.type, ref: target.id });
    }
  }
  return reader.finish();
}

function storedValues(segment: Segment, row: number): Record<string, unknown> {
  return Object.fromEntries(['type', 'name', 'action'].map((name) => [name, readText(segment, row, name)]));
}

/** The ids of all rows after the batch, ascending. */
function idsAfter({ written, deleted }: ChangedRows, segment: Segment): number[] {
  const { uid } = segment.collection.type;
  const ids = new Set(written.get(uid)?.keys());
  for (let row = 0; row < segment.rowCount; row++) {
    if (!segment.isLive(row)) continue;
    const id = idOfRow(segment, row);
    if (!deleted.get(uid)?.has(id)) ids.add(id);
  }
  return [...ids].sort((a, b) => a - b);
}
