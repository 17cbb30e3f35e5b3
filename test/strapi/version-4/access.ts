/** Who asks the Strapi 4 that is recorded, and what its roles may read. */
import { createHash, createSecretKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { jwtSecret } from '../access.ts';

const open = ['article', 'author', 'category'].flatMap((name) => [
  `api::${name}.${name}.find`,
  `api::${name}.${name}.findOne`,
]);
const singles = ['homepage', 'imprint'].map((name) => `api::${name}.${name}.find`);
const files = ['find', 'findOne'].map((action) => `plugin::upload.content-api.${action}`);

/** By the role's type. */
export const rolePermissions: Record<string, string[]> = {
  public: [...open, ...singles, ...files, 'api::note.note.find', 'plugin::i18n.locales.listLocales'],
  authenticated: [
    ...open,
    'api::note.note.find',
    ...['find', 'findOne', 'me', 'count'].map((action) => `plugin::users-permissions.user.${action}`),
    ...['find', 'findOne'].map((action) => `plugin::users-permissions.role.${action}`),
  ],
};

/** The API token with access to everything. */
export const tokenText = digest('almanac token: full access');

export const callers = ['public', 'token', 'user'] as const;
export type Caller = (typeof callers)[number];

/** The Authorization header of each caller; none for `public`. */
export async function authorizations(): Promise<Record<Caller, string | undefined>> {
  const jwt = new SignJWT({ id: 1 }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setIssuedAt();
  const signed = await jwt.setExpirationTime('1d').sign(createSecretKey(jwtSecret, 'utf8'));
  return { public: undefined, token: `Bearer ${tokenText}`, user: `Bearer ${signed}` };
}

/** Lectern's settings for the same callers. */
export function lecternOptions() {
  return {
    jwtSecret,
    tokens: [{ name: 'full', type: 'full-access' as const, sha256: digest(tokenText) }],
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
