import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { UnauthorizedError } from '../base/errors.ts';
import type { RoleDefinition, TokenDefinition } from './definitions.ts';
import { allPermissions, type PermissionSet, permissionsFor, readOnlyPermissions } from './permissions.ts';

/** Who asks. `userId` is null unless a user's JWT was sent. */
export interface Caller {
  readonly permissions: PermissionSet;
  /** Type of the role: `public` without credentials, `token` for an API token. */
  readonly role: string;
  readonly userId: number | null;
}

/** What decides on a user's JWT, read from the user's entry. `role` is the `type` of a role. */
export interface AccessUser {
  role: string | null;
  blocked: boolean | null;
  confirmed: boolean | null;
}

export interface AuthenticatorOptions {
  /** Of two roles of one type the later counts, so configured roles follow those of the snapshot. */
  roles: Iterable<RoleDefinition>;
  tokens: Iterable<TokenDefinition>;
  /** Without it no JWT is accepted. */
  jwtSecret?: string;
  /** The user with this id. Asked at each request, so that a user who is blocked is refused at once. */
  user: (id: number) => AccessUser | undefined;
  /** Refuse users who have not confirmed their address. */
  emailConfirmation?: boolean;
  /** Take a header without `Bearer` and exactly one word for no header at all. Otherwise it is refused. */
  ignoresOtherCredentials?: boolean;
}

/** What a verified JWT said. `expires` is in milliseconds since 1970, or Infinity. */
interface VerifiedToken {
  userId: number;
  expires: number;
}

/** How many verified JWTs are remembered, of some 200 bytes each. */
const maxVerifiedTokens = 10_000;

const nobody = permissionsFor([]);

/** What stands for a role where an API token was sent. */
export const tokenRole = 'token';

/** The two refusals of the recorded service: what was sent is no credential, or its user may not come in. */
const missingOrInvalid = () => new UnauthorizedError('Missing or invalid credentials');
const invalid = () => new UnauthorizedError('Invalid credentials');

/** Tells from an Authorization header who asks. */
export class Authenticator {
  private readonly roles: ReadonlyMap<string, PermissionSet>;
  private readonly tokens: ReadonlyMap<string, Caller>;
  private readonly anonymous: Caller;
  private readonly secret: KeyObject | null;
  private readonly user: AuthenticatorOptions['user'];
  private readonly emailConfirmation: boolean;
  private readonly ignoresOtherCredentials: boolean;
  /** By digest, so that no usable token stays in memory. */
  private readonly verified = new LRUCache<string, VerifiedToken>({ max: maxVerifiedTokens });

  constructor(options: AuthenticatorOptions) {
    const { roles, tokens, jwtSecret, user, emailConfirmation = false, ignoresOtherCredentials = false } = options;
    this.roles = new Map([...roles].map((role) => [role.type, permissionsFor(role.permissions)]));
    this.tokens = new Map(
      [...tokens].map((token) => [
        token.sha256.toLowerCase(),
        { permissions: permissionsOf(token), role: tokenRole, userId: null },
      ]),
    );
    this.anonymous = { permissions: this.role('public'), role: 'public', userId: null };
    this.secret = jwtSecret ? createSecretKey(jwtSecret, 'utf8') : null;
    this.user = user;
    this.emailConfirmation = emailConfirmation;
    this.ignoresOtherCredentials = ignoresOtherCredentials;
  }

  /** The types of all roles. `public` exists even if nothing defines it. */
  get roleTypes(): string[] {
    return Array.from(new Set(['public', ...this.roles.keys()]));
  }

  /** The permissions of a role by its type; none if there is no such role. */
  role(type: string): PermissionSet {
    return this.roles.get(type) ?? nobody;
  }

  /**
   * The caller that an Authorization header stands for: at once, but for a JWT that is new here.
   * Throws, or rejects with, an UnauthorizedError.
   */
  authenticate(authorization: string | undefined): Caller | Promise<Caller> {
    if (authorization === undefined) return this.anonymous;
    const credential = bearer(authorization);
    if (credential === null) {
      if (this.ignoresOtherCredentials) return this.anonymous;
      throw missingOrInvalid();
    }

    // Digests are looked up, not compared in constant time: how long that takes tells at most how a digest begins,
    // and a caller cannot choose a token by its digest, so it brings no one nearer to a token that is accepted.
    const digest = digestOf(credential);
    const token = this.tokens.get(digest);
    if (token) return token;

    const known = this.verified.get(digest);
    if (known && Date.now() < known.expires) return this.signedIn(known.userId);
    if (known) this.verified.delete(digest);

    if (this.secret === null || credential.split('.').length !== 3) throw missingOrInvalid();
    return this.verify(credential, digest, this.secret);
  }

  /**
   * What tells a caller with known credentials from others: an API token's digest, or the user of a JWT that has been
   * verified before. Null for all others.
   */
  nameOf(authorization: string | undefined): string | null {
    const credential = authorization === undefined ? null : bearer(authorization);
    if (credential === null) return null;
    const digest = digestOf(credential);
    if (this.tokens.has(digest)) return `token ${digest}`;
    const known = this.verified.get(digest);
    return known && Date.now() < known.expires ? `user ${known.userId}` : null;
  }

  private async verify(jwt: string, digest: string, secret: KeyObject): Promise<Caller> {
    const { payload } = await jwtVerify(jwt, secret, { algorithms: ['HS256'] }).catch(() => {
      throw missingOrInvalid();
    });
    const userId = payload.id;
    if (!Number.isSafeInteger(userId)) throw missingOrInvalid();
    const verified = { userId: userId as number, expires: (payload.exp ?? Number.POSITIVE_INFINITY) * 1000 };
    this.verified.set(digest, verified);
    return this.signedIn(verified.userId);
  }

  private signedIn(userId: number): Caller {
    const user = this.user(userId);
    if (!user || user.blocked || (this.emailConfirmation && !user.confirmed)) throw invalid();
    if (user.role === null) throw missingOrInvalid();
    // a user of the role `public` reads no more than anyone, but is not anyone: `/users/me` is nobody else's
    const role = user.role === 'public' ? 'authenticated' : user.role;
    return { permissions: this.role(user.role), role, userId };
  }
}

/** What an Authorization header carries: `Bearer` and one word; null for any other. */
function bearer(authorization: string): string | null {
  const parts = authorization.split(/\s+/);
  return parts.length === 2 && parts[0].toLowerCase() === 'bearer' ? parts[1] : null;
}

function digestOf(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
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
