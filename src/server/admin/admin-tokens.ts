import { ForbiddenError, UnauthorizedError } from '../../core/errors.ts';
import { bearer } from '../../model/access/authenticate.ts';
import { digestOfToken } from '../../model/access/definitions.ts';
import type { AdminRight, AdminToken } from '../../model/settings/contents.ts';

/** The tokens of the setting `admin.tokens`. */
export class AdminTokens {
  readonly #byDigest: ReadonlyMap<string, AdminToken>;

  constructor(tokens: readonly AdminToken[]) {
    this.#byDigest = new Map(tokens.map((token) => [token.sha256.toLowerCase(), token]));
  }

  /**
   * Returns the token of an Authorization header. Throws a ForbiddenError if no configured token has the right or this
   * one lacks it, and an UnauthorizedError if the header has no configured token.
   */
  authorize(authorization: string | undefined, right: AdminRight): AdminToken {
    if (![...this.#byDigest.values()].some(({ rights }) => rights.includes(right))) {
      throw new ForbiddenError(`No token may do this: give one in admin.tokens the right "${right}"`);
    }
    const token = this.#find(authorization);
    if (!token) throw new UnauthorizedError('Send a token of admin.tokens as "Authorization: Bearer TOKEN"');
    if (token.rights.includes(right)) return token;
    throw new ForbiddenError(`The token "${token.name}" lacks the right "${right}" (admin.tokens)`);
  }

  #find(authorization: string | undefined): AdminToken | undefined {
    const credential = authorization === undefined ? null : bearer(authorization);
    return credential === null ? undefined : this.#byDigest.get(digestOfToken(credential));
  }
}
