import type { AccessUser, ContentAccess } from '../model/access/authenticate.ts';
import type { StoredCredentials } from '../model/access/credentials.ts';
import type { Caller, PermissionSet, Roles } from '../model/access/permissions.ts';
import { userType } from '../model/schema/schema.ts';
import type { Collection } from '../store/collection.ts';
import { targetsOf } from '../store/links/adjacency.ts';
import { readNumber, readText } from '../store/read-value.ts';
import { rowOfId } from '../store/segment.ts';
import { type Store, segmentOf } from '../store/store.ts';

interface StoreAccessOptions {
  readonly roles: Roles;
  /** The documentIds of users who may not sign in; `#` and the id for users without a documentId. */
  readonly blockedUsers: ReadonlySet<string>;
  readonly emailConfirmation: boolean;
  readonly credentials: StoredCredentials;
  readonly ignoresOtherCredentials: boolean;
}

/** The users, roles and tokens of one store. */
export class StoreAccess implements ContentAccess {
  readonly roles: Roles;
  readonly emailConfirmation: boolean;
  readonly credentials: StoredCredentials;
  readonly ignoresOtherCredentials: boolean;
  readonly #store: Store;
  readonly #blockedUsers: ReadonlySet<string>;
  #anonymous: Caller | null = null;

  constructor(store: Store, options: StoreAccessOptions) {
    this.#store = store;
    this.roles = options.roles;
    this.#blockedUsers = options.blockedUsers;
    this.emailConfirmation = options.emailConfirmation;
    this.credentials = options.credentials;
    this.ignoresOtherCredentials = options.ignoresOtherCredentials;
  }

  get anonymous(): Caller {
    this.#anonymous ??= { permissions: this.role('public'), role: 'public', userId: null };
    return this.#anonymous;
  }

  role(type: string): PermissionSet {
    return this.roles.permissions(type);
  }

  user(id: number): AccessUser | undefined {
    const user = findUser(this.#store, id);
    if (!user) return undefined;
    const blocked = this.#blockedUsers.has(user.documentId ?? `#${id}`);
    return { role: user.role, blocked, confirmed: user.confirmed };
  }
}

/** The attributes of a user that decide whether to let the user in. */
interface StoredUser {
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
  const segment = segments[users.number];
  const row = rowOfId(segment, id);
  if (row === undefined) return undefined;
  return {
    documentId: readText(segment, row, 'documentId'),
    role: roleOf(store, users, row),
    confirmed: readNumber(segment, row, 'confirmed') === 1,
  };
}

function roleOf(store: Store, { type, links }: Collection, row: number): string | null {
  const attribute = type.attributes.get('role');
  const adjacency = links.get('role')?.forward;
  if (attribute?.kind !== 'relation' || !adjacency) return null;
  const roles = segmentOf(store, attribute.target);
  const role = targetsOf(adjacency, row).find((target) => roles.isLive(target));
  return role === undefined ? null : readText(roles, role, 'type');
}
