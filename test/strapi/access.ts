/** Callers: roles with permissions, users, API tokens. The same list sets up Strapi and Lectern. */
import { createHash, createSecretKey } from 'node:crypto';
import { SignJWT } from 'jose';

export const jwtSecret = 'museum-jwt-secret-museum-jwt-secret';

const collections = ['exhibit', 'artist', 'room', 'wing', 'tag', 'lender', 'part', 'remark'];
const openTypes = [
  ...collections.flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]),
  ...['visit', 'imprint', 'banner'].map((name) => `api::${name}.${name}.find`),
];
const files = ['find', 'findOne'].map((action) => `plugin::upload.content-api.${action}`);
const users = ['find', 'findOne', 'me', 'count'].map((action) => `plugin::users-permissions.user.${action}`);
const roles = ['find', 'findOne'].map((action) => `plugin::users-permissions.role.${action}`);
const locales = 'plugin::i18n.locales.listLocales';

/** What each role may do, by the role's type. `public` and `authenticated` are Strapi's own. */
export const rolePermissions: Record<string, string[]> = {
  public: [...openTypes, ...files, locales, 'api::claim.claim.find'],
  authenticated: [
    ...openTypes,
    ...files,
    ...users,
    ...roles,
    locales,
    ...['claim', 'policy'].flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]),
  ],
  guest: ['api::exhibit.exhibit.find', 'api::artist.artist.find', 'plugin::users-permissions.user.me'],
};

export const tokens = [
  { name: 'full', type: 'full-access', text: digest('museum token: full access') },
  { name: 'reader', type: 'read-only', text: digest('museum token: read-only') },
  {
    name: 'some',
    type: 'custom',
    text: digest('museum token: custom'),
    permissions: ['api::exhibit.exhibit.find', 'api::exhibit.exhibit.findOne', 'api::artist.artist.find', files[0]],
  },
] as const;

/** The users that ask; `member` and `guest` are the first and second user that Strapi is filled with. */
export const askingUsers = [
  { name: 'member', id: 1, role: 'authenticated' },
  { name: 'guest', id: 2, role: 'guest' },
] as const;

/** The Authorization header of each caller; none for `public`. */
export async function authorizations(): Promise<Record<string, string | undefined>> {
  const jwts = askingUsers.map(async ({ name, id }) => {
    const jwt = new SignJWT({ id }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setIssuedAt();
    return [name, `Bearer ${await jwt.setExpirationTime('1d').sign(createSecretKey(jwtSecret, 'utf8'))}`];
  });
  const bearers = tokens.map(({ name, text }) => [name, `Bearer ${text}`]);
  return Object.fromEntries([['public', undefined], ...bearers, ...(await Promise.all(jwts))]);
}

/** Lectern's config file. */
export function lecternConfig(): object {
  return {
    jwtSecret,
    tokens: tokens.map(({ text, ...token }) => ({ ...token, sha256: digest(text) })),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
