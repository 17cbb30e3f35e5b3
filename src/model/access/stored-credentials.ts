import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type Caller, tokenCaller } from './caller.ts';
import { expired } from './refusals.ts';
import type { ApiToken, SignInSecrets } from './sign-in.ts';

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
