/** Roles whose permissions are entries, as in exports. */

import type { Problems } from '../../core/problems.ts';
import { RoleReader } from '../../load/strapi/role-reader.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import { isScalar, type LinkAttribute, permissionType, roleType } from '../../model/schema/schema.ts';
import { readText } from '../../store/read-value.ts';
import { rowOfId, type Segment } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { ChangedRows } from '../stale/changed-rows.ts';
import type { Batch, BatchLinks, LinkTarget } from './batch.ts';
import { idOfRow, storedLinks } from './stored-links.ts';

/** The attribute of a permission that links to its role. */
const roleAttribute = 'role';

/**
 * Returns the roles after a batch, in the order of their ids. Returns `before` if the batch concerns no role and no
 * permission. Reports roles that cannot change, because the store lacks what they consist of. Takes a time linear in all
 * permissions.
 */
export function storedRoles(
  rows: ChangedRows,
  { entities }: Batch,
  links: readonly BatchLinks[],
  before: readonly RoleDefinition[],
  problems: Problems,
): readonly RoleDefinition[] {
  const { store } = rows;
  if (![...entities, ...links].some(({ type }) => type === roleType || type === permissionType)) return before;
  const missing = missingAttribute(store);
  if (missing !== null) {
    problems.add(missing, 'roles and permissions cannot change, because the content does not hold this attribute');
    return before;
  }
  const reader = new RoleReader();
  const given = new Map(entities.map(({ type, id, data }) => [`${type} ${id}`, data]));
  const uids = [roleType, permissionType].filter((uid) => store.byUid.has(uid));
  for (const uid of uids) {
    const segment = segmentOf(store, uid);
    const valuesOf = (id: number, row: number | undefined) =>
      given.get(`${uid} ${id}`) ?? (row === undefined ? {} : storedValues(segment, row));
    for (const id of idsAfter(rows, segment)) reader.addEntity(uid, { ...valuesOf(id, rowOfId(segment, id)), id });
  }
  for (const [id, targets] of grantsAfter(rows, links)) {
    for (const { type, id: ref } of targets) reader.addLink({ type: permissionType, ref: id }, { type, ref });
  }
  return reader.finish();
}

/** Returns the place of the first attribute that roles need and the store lacks; null if it has all. */
function missingAttribute({ schema, byUid }: Store): string | null {
  const needed: [string, string][] = [[roleType, 'type']];
  if (byUid.has(permissionType)) needed.push([permissionType, 'action'], [permissionType, roleAttribute]);
  const lacking = needed.find(([uid, name]) => {
    const attribute = schema.types.get(uid)?.attributes.get(name);
    return !attribute || (isScalar(attribute) ? attribute.private : !schema.storesLinks(attribute));
  });
  return lacking ? `${lacking[0]}, attribute ${lacking[1]}` : null;
}

/** Returns the targets of each permission after the batch. `links` are the lists that change. */
function* grantsAfter(rows: ChangedRows, links: readonly BatchLinks[]): Generator<[number, readonly LinkTarget[]]> {
  const { store } = rows;
  if (!store.byUid.has(permissionType)) return;
  const type = store.schema.type(permissionType);
  const attribute = type.attributes.get(roleAttribute) as LinkAttribute;
  const segment = segmentOf(store, permissionType);
  const replaced = new Map(
    links
      .filter((list) => list.type === permissionType && list.attribute === roleAttribute)
      .map(({ id, targets }) => [id, targets]),
  );
  for (const id of idsAfter(rows, segment)) {
    const row = rowOfId(segment, id);
    yield [id, replaced.get(id) ?? (row === undefined ? [] : storedLinks(store, type, attribute, row))];
  }
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
