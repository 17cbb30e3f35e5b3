import type { SchemaDescription } from './describe-schema.ts';

/** The body of `/_schema.json`: what the caller may read, and what the explorer has to know of the server. */
export interface SchemaReply extends SchemaDescription {
  /** In front of every content route, such as `/api`. Empty for none. */
  readonly prefix: string;
  /** Whether `/_explain` answers. */
  readonly explain: boolean;
  /** Whether the caller sees plans and may read as another role. */
  readonly hasFullAccess: boolean;
  /** The types of the roles to read as. Empty without full access. */
  readonly roles: readonly string[];
  /** The name by which the request chose one of several contents. Empty if it named none. */
  readonly name: string;
  /** The origin of the addresses of files, such as `https://media.example`. Null if they begin with a slash. */
  readonly mediaUrl: string | null;
}
