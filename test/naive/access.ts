import { Refused, Unspecified } from './snapshot.ts';
import { FILE, type Type } from './types.ts';
import type { World } from './world.ts';

/** What the caller may do. */
export interface Access {
  may(permission: string): boolean;
}

/** Without a role everything that is not private may be read. */
export function accessOf(world: World, roleName: string | undefined): Access {
  if (roleName === undefined) return { may: () => true };
  const role = world.roles.find((candidate) => candidate.type === roleName);
  return { may: (permission) => role?.permissions.includes(permission) === true };
}

/** Whether the type may be listed, filtered and sorted through, and populated. */
export function mayFind(access: Access, type: Type): boolean {
  if (type.uid !== FILE) return access.may(`${type.uid}.find`);
  if (access.may('plugin::upload.content-api.find')) return true;
  throw new Unspecified('media without the permission to find files');
}

export function requireFind(access: Access, type: Type, path: string): void {
  if (!mayFind(access, type)) throw new Refused(400, `Invalid key ${path}: its type may not be read`);
}
