import { formatNumber, type SnapshotWarning, warning } from '../../core/problems.ts';
import { countUsers, type LoadedSnapshot } from '../../load/loaded.ts';
import type { SignInSecrets } from '../../model/access/definitions.ts';

/** What the settings of a replica hold of what no image holds. */
export interface ReplicaSettings {
  /** Whether the tokens and JWTs of the Strapi are accepted at all. */
  readonly acceptsCredentials: boolean;
  readonly hasJwtSecret: boolean;
  /** Whether there is a place for uploaded files, or none is wanted. */
  readonly hasUploads: boolean;
}

/** Returns warnings of what a replica refuses or lacks, because no image holds secrets and uploaded files. */
export function missingOnReplica(
  { store, apiTokens = [] }: LoadedSnapshot,
  { uploadedFiles }: Pick<LoadedSnapshot, 'uploadedFiles'>,
  { acceptsCredentials, hasJwtSecret, hasUploads }: ReplicaSettings,
  secrets: SignInSecrets | null,
): SnapshotWarning[] {
  const missing: string[] = [];
  if (acceptsCredentials && apiTokens.length > 0 && !secrets?.apiTokenSalt) missing.push(noSalt(apiTokens.length));
  const hasUsers = countUsers(store) > 0;
  if (acceptsCredentials && hasUsers && !hasJwtSecret && !secrets?.jwtSecret) missing.push(noSecret);
  if (uploadedFiles && !hasUploads) missing.push(noUploads);
  return missing.map((message) => warning('missing-on-replica', message));
}

function noSalt(count: number): string {
  const tokens = count === 1 ? 'the API token' : `the ${formatNumber(count)} API tokens`;
  return `${tokens} of the Strapi are refused on this replica: give it the environment variable API_TOKEN_SALT of the Strapi`;
}

const noSecret =
  'JWTs of the users are refused on this replica: give it the setting jwtSecret, or the environment variable JWT_SECRET of the Strapi';
const noUploads =
  'the publisher has uploaded files, and no image holds them: give this replica the setting uploads with a folder or an address, mediaUrl or upstream, or switch them off with --no-uploads';
