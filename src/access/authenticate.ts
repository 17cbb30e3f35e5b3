import { createSecretKey, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { UnauthorizedError } from '../base/errors.ts';
import type { TokenDefinition } from './definitions.ts';
import { allPermissions, type PermissionSet, permissionsFor, readOnlyPermissions } from './permissions.ts';
import { digestOf } from './token-digest.ts';

/** The sender of a request. `userId` is null unless a user's JWT was sent. */
export interface Caller {
  readonly permissions: PermissionSet;
  /** Type of the role: `public` without credentials, `token` for an API token. */
  readonly role: string;
  readonly userId: number | null;
}

/** The attributes of a user that decide whether a JWT is accepted. `role` is the `type` of a role. */
export interface AccessUser {
  readonly role: string | null;
  readonly blocked: boolean;
  readonly confirmed: boolean;
}

/** The roles and users of the content. They are read at each request, so that a blocked user is rejected at once. */
export interface ContentAccess {
  /** The caller of requests without credentials. */
  readonly anonymous: Caller;
  /** The permissions of a role by its type; none if there is no such role. */
  role(type: string): PermissionSet;
  user(id: number): AccessUser | undefined;
  /** Reject users who have not confirmed their address. */
  readonly emailConfirmation: boolean;
  /** See `AccessPolicy`. */
  readonly ignoresOtherCredentials: boolean;
}

interface AuthenticatorOptions {
  readonly tokens: Iterable<TokenDefinition>;
  /** HS256 secret for verifying user JWTs. If unset, every JWT is rejected. */
  readonly jwtSecret?: string;
}

/** The claims of a verified JWT. `expires` is in milliseconds since 1970, or Infinity. */
interface VerifiedToken {
  userId: number;
  expires: number;
}

/** Maximum number of cached JWTs, of about 200 bytes each. Verifying a JWT takes 120 µs, finding it again 1.3 µs. */
const maxVerifiedTokens = 10_000;

/** The role of callers with an API token. */
export const tokenRole = 'token';

/** The two messages of Strapi: the header holds no valid credential, or its user may not sign in. */
const missingOrInvalid = () => new UnauthorizedError('Missing or invalid credentials');
const invalid = () => new UnauthorizedError('Invalid credentials');

/** Identifies callers by their Authorization header. It depends on settings alone, and outlives the content. */
export class Authenticator {
  readonly #tokens: ReadonlyMap<string, Caller>;
  readonly #secret: KeyObject | null;
  /** By digest, so that no usable token stays in memory. Takes 217 KiB at once, unless there is no secret. */
  readonly #verified: LRUCache<string, VerifiedToken>;

  constructor({ tokens, jwtSecret }: AuthenticatorOptions) {
    this.#tokens = new Map(
      Array.from(tokens, (token) => [
        token.sha256.toLowerCase(),
        { permissions: permissionsOf(token), role: tokenRole, userId: null },
      ]),
    );
    this.#secret = jwtSecret ? createSecretKey(jwtSecret, 'utf8') : null;
    this.#verified = new LRUCache({ max: this.#secret ? maxVerifiedTokens : 1 });
  }

  /**
   * Returns the caller, or a promise of it for a JWT that has not been verified before. Throws, or rejects with, an
   * UnauthorizedError.
   */
  authenticate(authorization: string | undefined, access: ContentAccess): Caller | Promise<Caller> {
    if (authorization === undefined) return access.anonymous;
    const credential = bearer(authorization);
    if (credential === null) {
      if (access.ignoresOtherCredentials) return access.anonymous;
      throw missingOrInvalid();
    }

    const digest = digestOf(credential);
    const token = this.#tokens.get(digest);
    if (token) return token;

    const known = this.#verified.get(digest);
    if (known && Date.now() < known.expires) return signedIn(known.userId, access);
    if (known) this.#verified.delete(digest);

    if (this.#secret === null || credential.split('.').length !== 3) throw missingOrInvalid();
    return this.#verify(credential, digest, this.#secret, access);
  }

  /**
   * Returns a name for a caller with known credentials: the digest of an API token, or the user of a JWT that has been
   * verified before. Null for all others.
   */
  nameOf(authorization: string | undefined): string | null {
    const credential = authorization === undefined ? null : bearer(authorization);
    if (credential === null) return null;
    const digest = digestOf(credential);
    if (this.#tokens.has(digest)) return `token ${digest}`;
    const known = this.#verified.get(digest);
    return known && Date.now() < known.expires ? `user ${known.userId}` : null;
  }

  async #verify(jwt: string, digest: string, secret: KeyObject, access: ContentAccess): Promise<Caller> {
    const { payload } = await jwtVerify(jwt, secret, { algorithms: ['HS256'] }).catch(() => {
      throw missingOrInvalid();
    });
    const userId = payload.id;
    if (!Number.isSafeInteger(userId)) throw missingOrInvalid();
    const verified = { userId: userId as number, expires: (payload.exp ?? Number.POSITIVE_INFINITY) * 1000 };
    this.#verified.set(digest, verified);
    return signedIn(verified.userId, access);
  }
}

function signedIn(userId: number, access: ContentAccess): Caller {
  const user = access.user(userId);
  if (!user || user.blocked || (access.emailConfirmation && !user.confirmed)) throw invalid();
  if (user.role === null) throw missingOrInvalid();
  // caches may share replies to the role `public`, but not those to a user, such as `/users/me`
  const role = user.role === 'public' ? 'authenticated' : user.role;
  return { permissions: access.role(user.role), role, userId };
}

/** Returns the word after `Bearer`; null for a header of any other form. */
export function bearer(authorization: string): string | null {
  const parts = authorization.split(/\s+/);
  return parts.length === 2 && parts[0].toLowerCase() === 'bearer' ? parts[1] : null;
}

function permissionsOf(token: TokenDefinition): PermissionSet {
  switch (token.type) {
    case 'full-access':
      return allPermissions();
    case 'read-only':
      return readOnlyPermissions();
    case 'custom':
      return permissionsFor(token.permissions);
  }
}
