import { createHmac } from 'node:crypto';
import type { ApiToken, SignInSecrets } from '../../src/model/access/definitions.ts';
import { jwtSecret } from './jwt.ts';

/** The secrets of a Strapi whose tokens and users the tests sign in with. */
export const secrets: SignInSecrets = {
  apiTokenSalt: 'a salt of the tests',
  jwtSecret,
  jwtManagement: 'legacy-support',
};

/** An API token as a Strapi stores it. Its text is its name, unless another is given. */
export function apiToken(
  name: string,
  { text = name, ...given }: Partial<ApiToken> & { text?: string } = {},
): ApiToken {
  const accessKey = createHmac('sha512', secrets.apiTokenSalt!).update(text).digest('hex');
  return { name, type: 'full-access', permissions: [], accessKey, expires: null, ...given };
}
