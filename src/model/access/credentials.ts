/** What proves who a caller is: the API tokens of a Strapi, and the JWTs of its users. Messages are those of Strapi. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { UnauthorizedError } from '../../core/errors.ts';
import type { ApiToken, JwtManagement, SignInSecrets } from './definitions.ts';
import { type Caller, tokenCaller } from './permissions.ts';

interface StoredToken {
  readonly accessKey: string;
  readonly expires: number;
  readonly caller: Caller;
}

/**
 * The API tokens and the secrets of one snapshot. A snapshot with others has credentials of its own, so that nothing is
 * known of a token that is gone.
 */
export class StoredCredentials {
  /** Null if the snapshot has none. */
  readonly secrets: SignInSecrets | null;
  readonly #salt: KeyObject | null;
  readonly #byAccessKey: ReadonlyMap<string, StoredToken>;
  /** The tokens that were sent, by the SHA-256 digest of their text. Holds each token once at most. */
  readonly #byDigest = new Map<string, StoredToken>();

  constructor(tokens: readonly ApiToken[] = [], secrets: SignInSecrets | null = null) {
    this.secrets = secrets;
    const salt = tokens.length > 0 ? secrets?.apiTokenSalt : null;
    this.#salt = salt ? createSecretKey(salt, 'utf8') : null;
    this.#byAccessKey = new Map(
      tokens.map(({ accessKey, type, permissions, expires }) => {
        const caller = tokenCaller(type, permissions);
        return [accessKey, { accessKey, expires: expires ?? Number.POSITIVE_INFINITY, caller }];
      }),
    );
  }

  /** Returns the caller of a token that was sent before. Undefined for any other. Throws if the token has expired. */
  recall(digest: string): Caller | undefined {
    const token = this.#byDigest.get(digest);
    return token && unexpired(token);
  }

  /** Returns the caller of a token. Undefined if there is no such token. Throws if it has expired. Takes 3 µs. */
  find(text: string, digest: string): Caller | undefined {
    if (this.#salt === null) return undefined;
    const token = this.#byAccessKey.get(createHmac('sha512', this.#salt).update(text).digest('hex'));
    if (!token) return undefined;
    this.#byDigest.set(digest, token);
    return unexpired(token);
  }
}

/** Of content whose source has no credentials. */
export const noCredentials = new StoredCredentials();

function unexpired({ expires, caller }: StoredToken): Caller {
  if (expires < Date.now()) throw expired();
  return caller;
}

/** The claims of a verified JWT. `expires` is in milliseconds since 1970, or Infinity. */
interface VerifiedToken {
  userId: number;
  expires: number;
}

/** Maximum number of cached JWTs, of about 200 bytes each. Verifying a JWT takes 120 µs, finding it again 1.3 µs. */
const maxVerifiedTokens = 10_000;

/** Verifies the JWTs of users under one secret. */
export class JwtVerifier {
  readonly secret: string;
  readonly management: JwtManagement;
  readonly #key: KeyObject;
  /** By digest, so that no usable token stays in memory. Takes 217 KiB at once. */
  readonly #verified = new LRUCache<string, VerifiedToken>({ max: maxVerifiedTokens });

  constructor(secret: string, management: JwtManagement) {
    this.secret = secret;
    this.management = management;
    this.#key = createSecretKey(secret, 'utf8');
  }

  /** Returns the id of the user of a JWT that has been verified before and has not expired; null for any other. */
  recall(digest: string): number | null {
    const known = this.#verified.get(digest);
    if (!known) return null;
    if (Date.now() < known.expires) return known.userId;
    this.#verified.delete(digest);
    return null;
  }

  /** Returns the id of the user of a JWT. Rejects with an UnauthorizedError if it is not valid. */
  async verify(jwt: string, digest: string): Promise<number> {
    const { payload } = await jwtVerify(jwt, this.#key, { algorithms: ['HS256'] }).catch(() => {
      throw missingOrInvalid();
    });
    const userId = this.#userOf(payload);
    if (!Number.isSafeInteger(userId)) throw missingOrInvalid();
    this.#verified.set(digest, {
      userId: userId as number,
      expires: (payload.exp ?? Number.POSITIVE_INFINITY) * 1000,
    });
    return userId as number;
  }

  /** A refresh token names its user as an access token does, and is no credential of a request. */
  #userOf({ id, userId, type }: JWTPayload): unknown {
    if (this.management === 'legacy-support') return id;
    return type === 'access' && typeof userId === 'string' && userId !== '' ? Number(userId) : null;
  }
}

/** The header holds no valid credential. */
export function missingOrInvalid(): UnauthorizedError {
  return new UnauthorizedError('Missing or invalid credentials');
}

/** The user may not sign in. */
export function invalid(): UnauthorizedError {
  return new UnauthorizedError('Invalid credentials');
}

export function expired(): UnauthorizedError {
  return new UnauthorizedError('Token expired');
}
