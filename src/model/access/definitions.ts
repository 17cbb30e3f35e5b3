import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Roles and tokens as written in a config file, in the options of `open` and in a snapshot, and the secrets of a Strapi. */

const action = z.string().min(1).describe('An action, such as api::article.article.find');

const tokenName = z.string().min(1).describe('Name of the token, for people. It is not part of replies');

export const tokenDigest = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "must be 64 hex digits (the SHA-256 digest of the token's text)")
  .describe("SHA-256 digest of the token's text, in hex");

/** Only custom tokens have permissions. On other types they would look like a restriction and have no effect. */
export const tokenDefinition = z.discriminatedUnion('type', [
  z.strictObject({ name: tokenName, sha256: tokenDigest, type: z.enum(['full-access', 'read-only']) }),
  z.strictObject({ name: tokenName, sha256: tokenDigest, type: z.literal('custom'), permissions: z.array(action) }),
]);

export const roleDefinition = z.strictObject({
  type: z.string().min(1).describe('Identifier of the role, such as `public`. Users refer to it'),
  name: z.string().optional().describe('Name of the role, for people'),
  permissions: z.array(action),
});

export type TokenDefinition = z.infer<typeof tokenDefinition>;
export type RoleDefinition = z.infer<typeof roleDefinition>;

/**
 * Returns the SHA-256 digest of a token in hex, by which tokens are looked up. Digests need no comparison in constant
 * time. The time of a lookup leaks at most the start of a digest, which helps nobody to guess a token.
 */
export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

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

/** What a Strapi stores of an API token. `actions` are those of its permissions. */
interface StoredToken extends Pick<ApiToken, 'name' | 'accessKey' | 'expires'> {
  readonly type: unknown;
  readonly actions: readonly string[];
}

/** Returns an API token as it counts. Permissions count for custom tokens only, and other types allow nothing. */
export function apiTokenOf({ type, actions, ...token }: StoredToken): ApiToken {
  const isWhole = type === 'full-access' || type === 'read-only';
  return { ...token, type: isWhole ? type : 'custom', permissions: type === 'custom' ? actions : [] };
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
