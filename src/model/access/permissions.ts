import { createHash } from 'node:crypto';

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
