/** What a Strapi knows about callers, besides its roles and users. */

/** An API token as a Strapi stores it. */
export interface ApiToken {
  readonly name: string;
  readonly type: 'read-only' | 'full-access' | 'custom';
  /** The actions of a custom token. Empty for other types. */
  readonly permissions: readonly string[];
  /** HMAC-SHA512 of the token's text under the salt, in hex. Of no use without the salt. */
  readonly accessKey: string;
  /** In milliseconds since 1970; null if it never expires. */
  readonly expires: number | null;
}

/**
 * The form of users' JWTs: `legacy-support` names the user in `id`, `refresh` in `userId` of an access token. Strapi
 * calls its setting so.
 */
export const jwtManagements = ['legacy-support', 'refresh'] as const;
export type JwtManagement = (typeof jwtManagements)[number];

/** The secrets of a Strapi. They stay in memory: no file, log or reply may hold them. */
export interface SignInSecrets {
  /** Without it, no API token of the Strapi is accepted. */
  readonly apiTokenSalt: string | null;
  /** Without it, no JWT is accepted, unless the settings have a secret. */
  readonly jwtSecret: string | null;
  readonly jwtManagement: JwtManagement;
}
