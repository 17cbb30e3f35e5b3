import type { RoleDefinition } from '../../model/access/definitions.ts';
import { permissionType, roleType } from '../../model/schema/schema.ts';
import type { LinkEnd } from './link-reader.ts';

/** Collects roles and permissions, which exports hold as ordinary entries and links. */
export class RoleReader {
  readonly #roles = new Map<number, { type: string; name: string; permissions: string[] }>();
  readonly #actions = new Map<number, string>();
  readonly #grants: [permission: number, role: number][] = [];

  addEntity(uid: string, { id, type, name, action }: Record<string, unknown>): void {
    if (uid === roleType && typeof type === 'string') {
      this.#roles.set(id as number, { type, name: typeof name === 'string' ? name : type, permissions: [] });
    } else if (uid === permissionType && typeof action === 'string') this.#actions.set(id as number, action);
  }

  addLink(left: LinkEnd, right: LinkEnd): void {
    if (left.type === permissionType && right.type === roleType) this.#grants.push([left.ref, right.ref]);
  }

  finish(): RoleDefinition[] {
    for (const [permission, role] of this.#grants) {
      const action = this.#actions.get(permission);
      if (action !== undefined) this.#roles.get(role)?.permissions.push(action);
    }
    return Array.from(this.#roles.values());
  }
}
