import type { SignInSecrets } from '../model/access/definitions.ts';

/** Returns the secrets as Strapi's template names them. */
export function secretsOfEnvironment({ API_TOKEN_SALT, JWT_SECRET }: NodeJS.ProcessEnv): SignInSecrets {
  return { apiTokenSalt: API_TOKEN_SALT ?? null, jwtSecret: JWT_SECRET ?? null, jwtManagement: 'legacy-support' };
}
