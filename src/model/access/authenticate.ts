import { UnauthorizedError } from '../../core/errors.ts';
import { invalid, JwtVerifier, missingOrInvalid, type StoredCredentials } from './credentials.ts';
import { digestOfToken, type JwtManagement, type SignInSecrets, type TokenDefinition } from './definitions.ts';
import { type Caller, type PermissionSet, tokenCaller } from './permissions.ts';

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
  readonly credentials: StoredCredentials;
  /** See `AccessPolicy`. */
  readonly ignoresOtherCredentials: boolean;
}

interface AuthenticatorOptions {
  readonly tokens: Iterable<TokenDefinition>;
  /** HS256 secret for verifying user JWTs. Default: that of the content. Without any, every JWT is rejected. */
  readonly jwtSecret?: string;
  /** Default: that of the content, or `legacy-support`. */
  readonly jwtManagement?: JwtManagement;
}

/**
 * Identifies callers by their Authorization header, from the settings first, and then from what the content knows. It
 * outlives the content, and remembers nothing of it but JWTs that have been verified under the secret of now.
 */
export class Authenticator {
  readonly #tokens: ReadonlyMap<string, Caller>;
  readonly #options: AuthenticatorOptions;
  #jwts: JwtVerifier | null = null;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#tokens = new Map(
      Array.from(options.tokens, (token) => [
        token.sha256.toLowerCase(),
        tokenCaller(token.type, token.type === 'custom' ? token.permissions : []),
      ]),
    );
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

    const digest = digestOfToken(credential);
    const { credentials } = access;
    const token = this.#tokens.get(digest) ?? credentials.recall(digest);
    if (token) return token;

    const jwts = this.#jwtsUnder(credentials.secrets);
    const userId = jwts?.recall(digest) ?? null;
    if (userId !== null) return signedIn(userId, jwts!, access);

    const stored = credentials.find(credential, digest);
    if (stored) return stored;
    if (jwts === null || credential.split('.').length !== 3) throw missingOrInvalid();
    return jwts.verify(credential, digest).then((id) => signedIn(id, jwts, access));
  }

  /**
   * Returns a name for a caller with known credentials: the digest of an API token, or the user of a JWT that has been
   * verified before. Null for all others.
   */
  nameOf(authorization: string | undefined, credentials: StoredCredentials): string | null {
    const credential = authorization === undefined ? null : bearer(authorization);
    if (credential === null) return null;
    const digest = digestOfToken(credential);
    if (this.#tokens.has(digest)) return `token ${digest}`;
    const userId = this.#jwtsUnder(credentials.secrets)?.recall(digest) ?? null;
    if (userId !== null) return `user ${userId}`;
    return isStored(credentials, credential, digest) ? `token ${digest}` : null;
  }

  /** Forgets what was verified under another secret. */
  #jwtsUnder(secrets: SignInSecrets | null): JwtVerifier | null {
    const secret = this.#options.jwtSecret ?? secrets?.jwtSecret;
    if (!secret) return null;
    const management = this.#options.jwtManagement ?? secrets?.jwtManagement ?? 'legacy-support';
    if (this.#jwts?.secret !== secret || this.#jwts.management !== management) {
      this.#jwts = new JwtVerifier(secret, management);
    }
    return this.#jwts;
  }
}

function isStored(credentials: StoredCredentials, credential: string, digest: string): boolean {
  try {
    return (credentials.recall(digest) ?? credentials.find(credential, digest)) !== undefined;
  } catch (error) {
    if (error instanceof UnauthorizedError) return false;
    throw error;
  }
}

function signedIn(userId: number, { management }: JwtVerifier, access: ContentAccess): Caller {
  const user = access.user(userId);
  // Strapi looks the user of an access token up while it verifies the token
  if (!user) throw management === 'refresh' ? missingOrInvalid() : invalid();
  if (user.blocked || (access.emailConfirmation && !user.confirmed)) throw invalid();
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
