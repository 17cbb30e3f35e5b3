import { hash } from 'node:crypto';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { digestByTypeOrder } from '../../store/writer/rows/row-digest.ts';

/** What changes can reach: rows with their links, and who may read. */
export type ChangedContent = Pick<LoadedSnapshot, 'store' | 'roles' | 'emailConfirmation' | 'blockedUsers'>;

/** Most changes leave it as it is. */
const known = new WeakMap<
  ReadonlySet<string>,
  { readonly roles: ChangedContent['roles']; readonly emailConfirmation: boolean; readonly digest: string }
>();

/**
 * Returns the digest by which every log names a state of content: that of its rows, and the start of a digest of what
 * changes can reach besides rows.
 */
export function stateDigest(content: ChangedContent): string {
  return `${content.store.contentDigest}-${accessDigest(content)}`;
}

/** Returns the digest of a state of content in journals that were begun until 2026-11-23. */
export function earlierStateDigest(content: ChangedContent): string {
  return `${digestByTypeOrder(content.store)}-${accessDigest(content)}`;
}

function accessDigest(content: ChangedContent): string {
  const { roles, emailConfirmation, blockedUsers } = content;
  const before = known.get(blockedUsers);
  if (before && before.roles === roles && before.emailConfirmation === emailConfirmation) return before.digest;
  const digest = hash('sha256', JSON.stringify([roles, emailConfirmation, [...blockedUsers].sort()])).slice(0, 8);
  known.set(blockedUsers, { roles, emailConfirmation, digest });
  return digest;
}
