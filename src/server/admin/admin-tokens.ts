import { hash, timingSafeEqual } from 'node:crypto';
import { bearer } from '../../access/authenticate.ts';
import { ForbiddenError, UnauthorizedError } from '../../base/errors.ts';
import type { AdminRight, AdminToken } from '../../config/admin.ts';

/** The tokens of the setting `admin.tokens`. */
export class AdminTokens {
  readonly #tokens: readonly { readonly token: AdminToken; readonly digest: Buffer }[];

  constructor(tokens: readonly AdminToken[]) {
    this.#tokens = tokens.map((token) => ({ token, digest: Buffer.from(token.sha256, 'hex') }));
  }

  /**
   * Returns the token of an Authorization header. Throws a ForbiddenError if no configured token has the right or this
   * one lacks it, and an UnauthorizedError if the header has no configured token.
   */
  authorize(authorization: string | undefined, right: AdminRight): AdminToken {
    if (!this.#tokens.some(({ token }) => token.rights.includes(right))) {
      throw new ForbiddenError(`No token may do this: give one in admin.tokens the right "${right}"`);
    }
    const token = this.#find(authorization);
    if (!token) throw new UnauthorizedError('Send a token of admin.tokens as "Authorization: Bearer TOKEN"');
    if (token.rights.includes(right)) return token;
    throw new ForbiddenError(`The token "${token.name}" lacks the right "${right}" (admin.tokens)`);
  }

  /** Compares with every token in constant time. */
  #find(authorization: string | undefined): AdminToken | undefined {
    const credential = authorization === undefined ? null : bearer(authorization);
    if (credential === null) return undefined;
    const digest = hash('sha256', credential, 'buffer');
    return this.#tokens.filter((each) => timingSafeEqual(each.digest, digest))[0]?.token;
  }
}
