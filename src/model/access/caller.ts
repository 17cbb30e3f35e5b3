import type { TokenDefinition } from './definitions.ts';
import { allPermissions, type PermissionSet, permissionsFor, readOnlyPermissions } from './permissions.ts';

/** The sender of a request. `userId` is null unless a user's JWT was sent. */
export interface Caller {
  readonly permissions: PermissionSet;
  /** Type of the role: `public` without credentials, `token` for an API token. */
  readonly role: string;
  readonly userId: number | null;
}

/** The role of callers with an API token. */
export const tokenRole = 'token';

/** Returns the caller of requests with an API token. `permissions` count for custom tokens only. */
export function tokenCaller(type: TokenDefinition['type'], permissions: readonly string[]): Caller {
  return { permissions: permissionsOf(type, permissions), role: tokenRole, userId: null };
}

function permissionsOf(type: TokenDefinition['type'], permissions: readonly string[]): PermissionSet {
  switch (type) {
    case 'full-access':
      return allPermissions();
    case 'read-only':
      return readOnlyPermissions();
    case 'custom':
      return permissionsFor(permissions);
  }
}
