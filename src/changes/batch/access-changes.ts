/** What a batch changes about who may sign in and read, and about uploaded files. */

import { type Problems, preview } from '../../core/problems.ts';
import { checkPermissions } from '../../load/json/json-snapshot.ts';
import { validate } from '../../load/validate.ts';
import { type RoleDefinition, roleDefinition } from '../../model/access/definitions.ts';
import { roleType, userType } from '../../model/schema/schema.ts';
import { readText } from '../../store/read-value.ts';
import { rowOfId } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { changedNames } from '../stale/changed-names.ts';
import { type ChangedRows, storedVersion } from '../stale/changed-rows.ts';
import type { Batch, BatchLinks } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { storedRoles } from './stored-roles.ts';
import { uploadNamesAfter } from './upload-names.ts';

export interface AccessChanges {
  /** All roles after the batch; the same list if none changed. */
  readonly roles: readonly RoleDefinition[];
  /** All blocked users after the batch, as in a LoadedSnapshot; the same set if none changed. */
  readonly blockedUsers: ReadonlySet<string>;
  /** All names of uploaded files after the batch; the same set if none changed. */
  readonly uploadNames: ReadonlySet<string> | null;
}

/** `links` are the lists that change. `names` are those of the users and files that the batch writes. */
export function accessAfter(
  rows: ChangedRows,
  batch: Batch,
  names: { readonly blockedUsers: ReadonlySet<string>; readonly uploadNames: ReadonlySet<string> },
  links: readonly BatchLinks[],
  problems: Problems,
  options: BatchOptions,
): AccessChanges {
  const { kind, roles, uploadNames } = options;
  return {
    roles:
      kind === 'json'
        ? rolesOfEntities(rows, batch, roles, problems)
        : storedRoles(rows, batch, links, roles, problems),
    blockedUsers: blockedAfter(rows, batch, names.blockedUsers, options.blockedUsers),
    uploadNames: uploadNames && uploadNamesAfter(rows, batch, names.uploadNames, uploadNames),
  };
}

function blockedAfter(
  { store }: ChangedRows,
  { entities }: Batch,
  added: ReadonlySet<string>,
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  const users = entities.filter(({ type }) => type === userType);
  if (users.length === 0) return before;
  const named = users.flatMap(({ id }) => {
    const row = rowOfId(segmentOf(store, userType), id);
    return row === undefined ? [] : (storedVersion(store, userType, row).documentId ?? `#${id}`);
  });
  return changedNames(before, named, added);
}

/** The roles of a JSON snapshot: the entities of roles hold `type`, `name` and `permissions`, as in its roles. */
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
