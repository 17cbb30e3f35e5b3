/** Changes of who may sign in and read, and of the names of uploaded files. */
import { validate } from '../../core/describe-problem.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { checkPermissions } from '../../load/json/json-snapshot.ts';
import { RoleReader } from '../../load/strapi/strapi-content.ts';
import { type RoleDefinition, roleDefinition } from '../../model/access/definitions.ts';
import { isScalar, type LinkAttribute, permissionType, roleType, userType } from '../../model/schema/schema.ts';
import { readText } from '../../store/read-value.ts';
import { rowOfId, type Segment } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { Batch, BatchLinks, LinkTarget } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { changedNames, changedUploads, type NameChanges, noNameChanges } from './changed-names.ts';
import { type ChangedRows, storedVersion } from './changed-rows.ts';
import { idOfRow, storedLinks } from './stored-links.ts';

/** What a batch changes. Plain data. */
export interface AccessChanges {
  /** All roles after the batch; null if none changed. */
  readonly roles: readonly RoleDefinition[] | null;
  readonly blockedUsers: NameChanges;
  readonly uploadNames: NameChanges;
}

/** What a batch can change besides rows and links, as in a LoadedSnapshot and its uploaded files. */
export type ChangedAccess = Pick<BatchOptions, 'roles' | 'blockedUsers' | 'uploadNames'>;

/** Returns what changes lead to. Lists and sets without a change are those before. */
export function accessAfter(before: ChangedAccess, changes: AccessChanges): ChangedAccess {
  return {
    roles: changes.roles ?? before.roles,
    blockedUsers: changedNames(before.blockedUsers, changes.blockedUsers),
    uploadNames: before.uploadNames && changedNames(before.uploadNames, changes.uploadNames),
  };
}

/** `links` are the lists that change. `names` are those of the users and files that the batch writes. */
export function accessChanges(
  rows: ChangedRows,
  batch: Batch,
  names: { readonly blockedUsers: ReadonlySet<string>; readonly uploadNames: ReadonlySet<string> },
  links: readonly BatchLinks[],
  problems: Problems,
  { kind, roles: before, uploadNames }: BatchOptions,
): AccessChanges {
  const roles =
    kind === 'json'
      ? rolesOfEntities(rows, batch, before, problems)
      : storedRoles(rows, batch, links, before, problems);
  return {
    roles: roles === before ? null : roles,
    blockedUsers: { removed: storedUsers(rows, batch), added: [...names.blockedUsers] },
    uploadNames: uploadNames ? changedUploads(rows, batch, names.uploadNames) : noNameChanges,
  };
}

/** Returns the names of the stored users that a batch changes or deletes, as blocked users are named. */
function storedUsers({ store }: ChangedRows, { entities }: Batch): string[] {
  return entities.flatMap(({ type, id }) => {
    const row = type === userType ? rowOfId(segmentOf(store, userType), id) : undefined;
    return row === undefined ? [] : (storedVersion(store, userType, row).documentId ?? `#${id}`);
  });
}

/** Returns the roles of a JSON snapshot after a batch. Entities of roles hold `type`, `name` and `permissions`. */
function rolesOfEntities(
  { store, written }: ChangedRows,
  { entities }: Batch,
  before: readonly RoleDefinition[],
  problems: Problems,
): readonly RoleDefinition[] {
  const known = new Set(before.map(({ type }) => type));
  /** By the type before the batch. Null for a role that is deleted. */
  const replaced = new Map<string, RoleDefinition | null>();
  const added: RoleDefinition[] = [];
  const locations = new Map<RoleDefinition, string>();
  for (const { type: uid, id, data } of entities) {
    if (uid !== roleType) continue;
    const segment = segmentOf(store, roleType);
    const row = rowOfId(segment, id);
    const stored = row === undefined ? null : readText(segment, row, 'type');
    const location = written.get(roleType)?.get(id)?.location ?? '';
    const role = data && validate(roleDefinition, roleOf(data), location, problems);
    if (role) checkPermissions(role, location, store.schema, problems);
    if (role) locations.set(role, location);
    if (stored !== null && known.has(stored)) replaced.set(stored, role);
    else if (role) added.push(role);
  }
  const kept = before.map((role) => (replaced.has(role.type) ? replaced.get(role.type)! : role));
  const roles = [...kept, ...added].filter((role) => role !== null);
  const roleOfType = new Map<string, RoleDefinition>();
  for (const role of roles) {
    const other = roleOfType.get(role.type);
    roleOfType.set(role.type, role);
    if (!other) continue;
    const at = locations.get(role) ?? locations.get(other) ?? '';
    problems.add(at, `another role has the type ${preview(role.type)}`);
  }
  return roles.length === before.length && roles.every((role, i) => role === before[i]) ? before : roles;
}

function roleOf({ type, name, permissions }: Readonly<Record<string, unknown>>): unknown {
  return { type, permissions, ...(typeof name === 'string' ? { name } : {}) };
}

/** Roles whose permissions are entries, as in exports. */

/** The attribute of a permission that links to its role. */
const roleAttribute = 'role';

/**
 * Returns the roles after a batch, in the order of their ids. Returns `before` if the batch concerns no role and no
 * permission. Reports roles that cannot change, because the store lacks what they consist of. Takes a time linear in
 * all permissions.
 */
function storedRoles(
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
