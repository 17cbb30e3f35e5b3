/** Roles and their permissions as rows of a source. They are read as a whole, because REST gives permissions no ids. */
import { permissionType, roleType } from '../../../model/schema/schema.ts';
import type { EntityLine, Roles } from '../plugin-content.ts';
import type { FetchedRows } from './known-rows.ts';
import type { OwnList, SourceRow } from './source-row.ts';

/** Adds all roles and permissions to the fetched rows, and those that are gone as deleted. */
export function addRoles(roles: Roles, rows: FetchedRows): void {
  if (!rows.schema.types.has(roleType) || !rows.schema.types.has(permissionType)) return;
  const permissionsOf = new Map<number, number[]>();
  const roleOf = new Map<number, number>();
  for (const { left, right } of roles.links) {
    permissionsOf.set(right.ref, [...(permissionsOf.get(right.ref) ?? []), left.ref]);
    roleOf.set(left.ref, right.ref);
  }
  const found = new Set<string>();
  for (const entity of roles.entities) {
    const { type, id } = entity;
    found.add(`${type} ${id}`);
    const role = roleOf.get(id);
    const isPermission = type === permissionType && role !== undefined;
    const list: OwnList[] = isPermission
      ? [{ type, id, attribute: 'role', targets: [{ type: roleType, id: role }] }]
      : [];
    // the users of a role are read with the users
    const sources = new Map(rows.known.get(type, id)?.sources);
    if (type === roleType) sources.set('permissions', permissionsOf.get(id) ?? []);
    rows.set(entity, rowOf(entity, list, sources));
  }
  for (const type of [roleType, permissionType]) {
    for (const { id } of rows.known.ofType(type)) if (!found.has(`${type} ${id}`)) rows.set({ type, id }, null);
  }
}

function rowOf({ type, id, data }: EntityLine, lists: SourceRow['lists'], sources: SourceRow['sources']): SourceRow {
  const documentId = typeof data.documentId === 'string' ? data.documentId : null;
  return { type, id, documentId, published: true, data, lists, sources };
}
