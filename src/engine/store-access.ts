import type { AccessUser, ContentAccess } from '../model/access/authenticate.ts';
import type { Caller } from '../model/access/caller.ts';
import type { PermissionSet } from '../model/access/permissions.ts';
import type { Roles } from '../model/access/roles.ts';
import type { StoredCredentials } from '../model/access/stored-credentials.ts';
import type { Store } from '../store/store.ts';
import { findUser } from './users.ts';

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
