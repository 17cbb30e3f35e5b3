/** The header `X-Lectern-Role`, by which a token with full access reads what another role may read. */
import { ForbiddenError, ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { callerOf } from '../../engine/library-reads.ts';
import type { StoreEngine } from '../../engine/store-engine.ts';
import { allPermissions, type Caller } from '../../model/access/permissions.ts';
import { noStore, type Reply } from '../../query/reply/reply.ts';

/**
 * Answers a caller, as a caller of `role` if there is one. No cache may keep the reply to another role. Throws a
 * ForbiddenError for a caller without full access, and a ValidationError for a role that does not exist.
 */
export function answerAs(
  role: string | undefined,
  caller: Caller,
  engine: StoreEngine,
  answer: (reader: Caller) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  if (role === undefined) return answer(caller);
  const reply = answer(callerOfRole(role, caller, engine));
  return reply instanceof Promise ? reply.then(notStored) : notStored(reply);
}

function callerOfRole(role: string, caller: Caller, engine: StoreEngine): Caller {
  if (!hasFullAccess(caller)) throw new ForbiddenError('The header X-Lectern-Role takes a token with full access');
  const { types } = engine.access.roles;
  if (!types.includes(role)) {
    throw new ValidationError(`X-Lectern-Role: there is no role ${preview(role)}. The roles are ${types.join(', ')}.`);
  }
  return callerOf(engine, role);
}

/** Returns whether a caller may see plans and read as another role. */
export function hasFullAccess({ permissions }: Caller): boolean {
  return permissions === allPermissions();
}

function notStored(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': noStore } };
}
