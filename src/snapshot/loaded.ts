import type { RoleDefinition } from '../access/definitions.ts';
import type { Store } from '../store/store.ts';
import type { UploadedFiles } from './uploaded-files.ts';

/** A snapshot that has been read whole and found good. */
export interface LoadedSnapshot {
  readonly kind: 'json' | 'strapi';
  /** The version of Strapi that wrote the export; null where it does not tell, and for JSON snapshots. */
  readonly strapiVersion: string | null;
  readonly store: Store;
  readonly roles: readonly RoleDefinition[];
  /** Whether a user must have confirmed the e-mail address to be let in. */
  readonly emailConfirmation: boolean;
  /**
   * The documentIds of users who may not come in: the attribute that says so may be private, and is then in no store.
   */
  readonly blockedUsers: ReadonlySet<string>;
  /** The uploaded files that come with the snapshot; null if it has none. */
  readonly uploadedFiles: UploadedFiles | null;
  /** What was left out, in words. */
  readonly warnings: readonly string[];
}

/** One warning for all relations that were left out, with the places of the first. */
export function danglingWarnings(left: readonly string[]): string[] {
  if (left.length === 0) return [];
  const shown = left.slice(0, 5).join('; ');
  const more = left.length > 5 ? '; …' : '';
  return [`${left.length} dangling ${left.length === 1 ? 'relation' : 'relations'} left out: ${shown}${more}`];
}

export interface LoadOptions {
  /** Leave dangling relations out with a warning. Otherwise they are problems like any other. */
  readonly lenient: boolean;
  /** Put in front of the root-relative addresses of files. Filters see what the snapshot holds. */
  readonly mediaUrl?: string;
}
