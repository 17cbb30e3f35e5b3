import { createHash } from 'node:crypto';

/** What a caller may read. Frozen; two sets with the same rights have the same `id`. */
export interface PermissionSet {
  /** Short text that is equal exactly when the rights are equal: replies are cached under it. */
  readonly id: string;
  /** Whether an action such as `api::article.article.find` is permitted. */
  allows(action: string): boolean;
  /** Whether `status=draft` may be asked for where the dialect guards it. */
  readonly readsDrafts: boolean;
}

/** The action that lets a listed permission set read drafts. */
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

/** Every action: a full-access token. */
export function allPermissions(): PermissionSet {
  return everySet;
}

/** Every action that finds, on every type, drafts too: a read-only token. */
export function readOnlyPermissions(): PermissionSet {
  return readSet;
}

/** The given actions and no others: a role or a custom token. Order and repetition do not matter. */
export function permissionsFor(actions: Iterable<string>): PermissionSet {
  const permitted: ReadonlySet<string> = new Set(actions);
  // JSON keeps the borders between actions, whatever characters they hold. 22 characters are 132 bits of SHA-256:
  // no two lists that occur share them, and no digest is as short as `full` or `read`.
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
