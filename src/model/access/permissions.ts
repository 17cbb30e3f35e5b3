/** Who may do what: sets of permissions, and the callers and roles that have them. */
import { createHash } from 'node:crypto';
import type { RoleDefinition, TokenDefinition } from './definitions.ts';

/** The permissions of a caller. Frozen. */
export interface PermissionSet {
  /** Equal exactly if the permissions are equal. Cached replies are keyed by it. */
  readonly id: string;
  /** Returns whether an action such as `api::article.article.find` is permitted. */
  allows(action: string): boolean;
  /** Whether `status=draft` is permitted, in dialects that check it. */
  readonly readsDrafts: boolean;
}

/** The action that permits reading drafts. */
export const draftAction = 'draft';

const everySet: PermissionSet = Object.freeze({ id: 'full', allows: () => true, readsDrafts: true });

const readSet: PermissionSet = Object.freeze({
  id: 'read',
  allows: (action: string) => {
    const verb = action.slice(action.lastIndexOf('.') + 1);
    return verb === 'find' || verb === 'findOne';
  },
  readsDrafts: true,
});

/** Returns the permissions of a full-access token: every action. */
export function allPermissions(): PermissionSet {
  return everySet;
}

/** Returns the permissions of a read-only token: `find` and `findOne` of every type, drafts included. */
export function readOnlyPermissions(): PermissionSet {
  return readSet;
}

/** Returns the permissions of a role or a custom token: the given actions, in any order. */
export function permissionsFor(actions: Iterable<string>): PermissionSet {
  const permitted: ReadonlySet<string> = new Set(actions);
  // JSON separates actions whatever characters they hold. 22 characters are 132 bits of SHA-256, so no two lists
  // collide, and none equals `full` or `read`.
  const id = createHash('sha256')
    .update(JSON.stringify([...permitted].sort()))
    .digest('base64url')
    .slice(0, 22);
  return Object.freeze({
    id,
    allows: (action: string) => permitted.has(action),
    readsDrafts: permitted.has(draftAction),
  });
}

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

const nobody = permissionsFor([]);

/** The roles of a snapshot and of the settings. The permission set of a role is made on first use. */
export class Roles {
  readonly #definitions: readonly RoleDefinition[];
  readonly #publicActions: () => readonly string[];
  readonly #sets = new Map<string, PermissionSet>();

  /** The last definition of a type wins. `publicActions` are added to the role `public`. */
  constructor(definitions: readonly RoleDefinition[], publicActions: () => readonly string[] = () => []) {
    this.#definitions = definitions;
    this.#publicActions = publicActions;
  }

  /** The types of all roles. `public` exists even if nothing defines it. */
  get types(): string[] {
    return Array.from(new Set(['public', ...this.#definitions.map(({ type }) => type)]));
  }

  /** The permissions of a role by its type; none if there is no such role. */
  permissions(type: string): PermissionSet {
    const known = this.#sets.get(type);
    if (known) return known;
    const definition = this.#definitions.findLast((role) => role.type === type);
    // not kept: users may refer to any number of roles that do not exist
    if (!definition && type !== 'public') return nobody;
    const set = permissionsFor([
      ...(definition?.permissions ?? []),
      ...(type === 'public' ? this.#publicActions() : []),
    ]);
    this.#sets.set(type, set);
    return set;
  }
}
