import type { RoleDefinition } from '../access/definitions.ts';
import type { Store } from '../store/store.ts';

/** A snapshot that has been read whole and found good. */
export interface LoadedSnapshot {
  readonly kind: 'json' | 'strapi';
  readonly store: Store;
  readonly roles: readonly RoleDefinition[];
  /** Whether a user must have confirmed the e-mail address to be let in. */
  readonly emailConfirmation: boolean;
  /** What was left out, in words. */
  readonly warnings: readonly string[];
}

export interface LoadOptions {
  /** Leave dangling relations out with a warning. Otherwise they are problems like any other. */
  readonly lenient: boolean;
}
