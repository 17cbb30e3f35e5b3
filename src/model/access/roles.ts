import type { RoleDefinition } from './definitions.ts';
import { type PermissionSet, permissionsFor } from './permissions.ts';

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
