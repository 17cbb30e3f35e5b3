import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { UnauthorizedError } from '../../src/core/errors.ts';
import { type AccessUser, Authenticator, type ContentAccess } from '../../src/model/access/authenticate.ts';
import { noCredentials } from '../../src/model/access/credentials.ts';
import type { JwtManagement, RoleDefinition } from '../../src/model/access/definitions.ts';
import {
  allPermissions,
  type Caller,
  permissionsFor,
  Roles,
  readOnlyPermissions,
} from '../../src/model/access/permissions.ts';
import { sha256 } from '../support/guide.ts';
import { signJwt } from '../support/jwt.ts';

describe('permission sets', () => {
  test('full access permits every action and drafts', () => {
    expect(allPermissions().id).toBe('full');
    expect(allPermissions().allows('api::a.a.find')).toBe(true);
    expect(allPermissions().allows('plugin::users-permissions.user.me')).toBe(true);
    expect(allPermissions().readsDrafts).toBe(true);
  });

  test('a read-only token permits find and findOne, whatever the controller', () => {
    expect(readOnlyPermissions().id).toBe('read');
    expect(readOnlyPermissions().readsDrafts).toBe(true);
    for (const action of ['api::a.a.find', 'api::a.a.findOne', 'plugin::upload.content-api.find']) {
      expect(readOnlyPermissions().allows(action), action).toBe(true);
    }
    for (const action of ['api::a.a.findAll', 'api::find.find.me', 'api::a.a.Find', 'api::a.a.find.x', '']) {
      expect(readOnlyPermissions().allows(action), action).toBe(false);
    }
  });

  test('a list of actions permits exactly these', () => {
    const set = permissionsFor(['api::a.a.find', 'api::b.b.findOne']);
    expect(set.allows('api::a.a.find')).toBe(true);
    expect(set.allows('api::a.a.findOne')).toBe(false);
    expect(set.allows('api::a.a')).toBe(false);
    expect(set.readsDrafts).toBe(false);
    expect(permissionsFor(['draft']).readsDrafts).toBe(true);
    expect(permissionsFor([]).allows('toString')).toBe(false);
  });

  test('permission sets have equal ids if and only if they are equal', () => {
    const actions = fc.array(fc.constantFrom('a', 'b', 'a,b', 'a","b', 'draft', ''), { maxLength: 5 });
    fc.assert(
      fc.property(actions, actions, (one, other) => {
        const same = new Set(one).size === new Set(other).size && one.every((action) => other.includes(action));
        expect(permissionsFor(one).id === permissionsFor(other).id).toBe(same);
        expect(['full', 'read']).not.toContain(permissionsFor(one).id);
      }),
    );
  });
});

const secret = 'a secret of no great length';
const users: Record<number, AccessUser> = {
  1: { role: 'authenticated', blocked: false, confirmed: true },
  2: { role: 'authenticated', blocked: true, confirmed: true },
  3: { role: 'authenticated', blocked: false, confirmed: false },
  4: { role: null, blocked: false, confirmed: true },
  5: { role: 'gone', blocked: false, confirmed: true },
};

interface Options {
  roles?: RoleDefinition[];
  jwtSecret?: string;
  jwtManagement?: JwtManagement;
  user?: ContentAccess['user'];
  emailConfirmation?: boolean;
  ignoresOtherCredentials?: boolean;
}

/** An authenticator, and the content that provides users and roles. */
function authenticator(options: Options = {}) {
  const roles = new Roles(
    options.roles ?? [
      { type: 'public', permissions: ['api::a.a.find'] },
      { type: 'authenticated', permissions: ['api::a.a.find', 'api::b.b.find'] },
    ],
  );
  const role = (type: string) => roles.permissions(type);
  const access: ContentAccess = {
    anonymous: { permissions: role('public'), role: 'public', userId: null },
    role,
    user: (id) => users[id],
    emailConfirmation: false,
    credentials: noCredentials,
    ignoresOtherCredentials: false,
    ...options,
  };
  const known = new Authenticator({
    tokens: [
      { name: 'all', sha256: sha256('all-token'), type: 'full-access' },
      { name: 'reader', sha256: sha256('read.only.token').toUpperCase(), type: 'read-only' },
      { name: 'some', sha256: sha256('some-token'), type: 'custom', permissions: ['api::b.b.find'] },
    ],
    jwtSecret: 'jwtSecret' in options ? options.jwtSecret : secret,
    jwtManagement: options.jwtManagement,
  });
  return { role, authenticate: (authorization?: string) => known.authenticate(authorization, access) };
}

const sign = (payload: object, key = secret, algorithm: 'HS256' | 'HS512' = 'HS256') =>
  signJwt(payload, { secret: key, algorithm });

/** Returns the message of the error, thrown or rejected with. */
async function rejection(given: ReturnType<typeof authenticator>, authorization: string): Promise<string> {
  try {
    await given.authenticate(authorization);
  } catch (error) {
    expect(error).toBeInstanceOf(UnauthorizedError);
    return (error as Error).message;
  }
  throw new Error(`${authorization} was accepted`);
}

const invalidCredential = 'Missing or invalid credentials';
const userRejected = 'Invalid credentials';

describe('callers', () => {
  afterEach(() => vi.useRealTimers());

  test('returns the public role synchronously without a header', () => {
    const caller = authenticator().authenticate(undefined) as Caller;
    expect(caller.userId).toBeNull();
    expect(caller.permissions.id).toBe(permissionsFor(['api::a.a.find']).id);
  });

  test('gives no permissions if no role is public', () => {
    const caller = authenticator({ roles: [] }).authenticate(undefined) as Caller;
    expect(caller.permissions.id).toBe(permissionsFor([]).id);
  });

  test('uses the later of two roles of one type', () => {
    const roles = [
      { type: 'public', permissions: ['api::a.a.find'] },
      { type: 'public', permissions: [] },
    ];
    expect(authenticator({ roles }).role('public').id).toBe(permissionsFor([]).id);
  });

  test('adds public actions to the role public, whether or not it is defined', () => {
    const roles = [{ type: 'public', permissions: ['api::a.a.find'] }];
    const permissions = (definitions: RoleDefinition[]) =>
      new Roles(definitions, () => ['api::b.b.find']).permissions('public').id;
    expect(permissions(roles)).toBe(permissionsFor(['api::a.a.find', 'api::b.b.find']).id);
    expect(permissions([])).toBe(permissionsFor(['api::b.b.find']).id);
  });

  test('finds tokens by their digest, synchronously', () => {
    const given = authenticator();
    const permissions = (header: string) => (given.authenticate(header) as Caller).permissions.id;
    expect(permissions('Bearer all-token')).toBe('full');
    expect(permissions('bearer  read.only.token')).toBe('read');
    expect(permissions('BEARER\tsome-token')).toBe(permissionsFor(['api::b.b.find']).id);
  });

  const notBearer = [
    '',
    'Bearer',
    'Bearer ',
    'all-token',
    'Basic all-token',
    'Bearer all-token x',
    ' Bearer all-token',
    'Bearer,x',
  ];
  test.each(notBearer)('rejects the header %j', async (header) =>
    expect(await rejection(authenticator(), header)).toBe(invalidCredential),
  );

  // a server trims headers, which leaves only `Bearer`
  test.each(notBearer.filter((header) => header !== 'Bearer '))(
    'treats the header %j as absent if other credentials are ignored',
    async (header) => {
      const given = authenticator({ ignoresOtherCredentials: true });
      expect(await given.authenticate(header)).toBe(await given.authenticate(undefined));
    },
  );

  test('rejects an unknown token, and the digest of a token', async () => {
    expect(await rejection(authenticator(), 'Bearer nothing')).toBe(invalidCredential);
    expect(await rejection(authenticator(), `Bearer ${sha256('all-token')}`)).toBe(invalidCredential);
  });

  test("gives a JWT the permissions of its user's role", async () => {
    const caller = await authenticator().authenticate(`Bearer ${sign({ id: 1 })}`);
    expect(caller.userId).toBe(1);
    expect(caller.permissions.id).toBe(permissionsFor(['api::b.b.find', 'api::a.a.find']).id);
  });

  test('gives no permissions for a role that does not exist', async () => {
    const caller = await authenticator().authenticate(`Bearer ${sign({ id: 5 })}`);
    expect(caller.permissions.id).toBe(permissionsFor([]).id);
  });

  test('rejects an invalid JWT', async () => {
    const given = authenticator();
    const good = sign({ id: 1 });
    const [header, payload, signature] = good.split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    const jwts = [
      sign({ id: 1 }, 'another secret'),
      sign({ id: 1 }, secret.padEnd(64, ' ')),
      sign({ id: 1 }, secret, 'HS512'),
      sign({ id: 1, exp: Math.floor(Date.now() / 1000) - 1 }),
      sign({ id: 1, nbf: Math.floor(Date.now() / 1000) + 60 }),
      sign({}),
      sign({ id: '1' }),
      sign({ id: 1.5 }),
      sign({ id: null }),
      sign({ userId: '1', type: 'refresh' }),
      none,
      `${header}.${payload}.`,
      `${header}.${Buffer.from('{"id":2}').toString('base64url')}.${signature}`,
      '..',
      'a.b.c',
    ];
    for (const jwt of jwts) expect(await rejection(given, `Bearer ${jwt}`), jwt).toBe(invalidCredential);
  });

  test('rejects every JWT without a secret, even an unsigned one', async () => {
    const jwt = sign({ id: 1 });
    expect(await rejection(authenticator({ jwtSecret: undefined }), `Bearer ${jwt}`)).toBe(invalidCredential);
    expect(await rejection(authenticator({ jwtSecret: '' }), `Bearer ${jwt}`)).toBe(invalidCredential);
  });

  test('identifies the user of an access token in the session mode of Strapi, and of no other token', async () => {
    const given = authenticator({ jwtManagement: 'refresh' });
    const access = { userId: '1', sessionId: 'a', type: 'access' };
    expect((await given.authenticate(`Bearer ${sign(access)}`)).userId).toBe(1);
    const others = [
      { ...access, type: 'refresh' },
      { ...access, type: undefined },
      { ...access, userId: 1 },
      { ...access, userId: '' },
      { ...access, userId: 'x' },
      { id: 1 },
      { id: 1, type: 'access' },
    ];
    for (const claims of others) expect(await rejection(given, `Bearer ${sign(claims)}`)).toBe(invalidCredential);
    expect(await rejection(given, `Bearer ${sign({ ...access, userId: '99' })}`)).toBe(invalidCredential);
    expect(await rejection(given, `Bearer ${sign({ ...access, userId: '2' })}`)).toBe(userRejected);
  });

  test('rejects an access token without the session mode', async () =>
    expect(await rejection(authenticator(), `Bearer ${sign({ userId: '1', type: 'access' })}`)).toBe(
      invalidCredential,
    ));

  test('rejects a user who is missing or blocked', async () => {
    expect(await rejection(authenticator(), `Bearer ${sign({ id: 99 })}`)).toBe(userRejected);
    expect(await rejection(authenticator(), `Bearer ${sign({ id: 2 })}`)).toBe(userRejected);
  });

  test('rejects a user without a role', async () => {
    expect(await rejection(authenticator(), `Bearer ${sign({ id: 4 })}`)).toBe(invalidCredential);
  });

  test('accepts an unconfirmed user unless confirmation is required', async () => {
    const header = `Bearer ${sign({ id: 3 })}`;
    expect((await authenticator().authenticate(header)).userId).toBe(3);
    expect(await rejection(authenticator({ emailConfirmation: true }), header)).toBe(userRejected);
  });

  test('accepts a verified JWT synchronously until it expires', async () => {
    const given = authenticator();
    const expires = Math.floor(Date.now() / 1000) + 60;
    const header = `Bearer ${sign({ id: 1, exp: expires })}`;
    const first = given.authenticate(header);
    expect(first).toBeInstanceOf(Promise);
    await first;
    expect((given.authenticate(header) as Caller).userId).toBe(1);

    vi.useFakeTimers({ now: expires * 1000 - 1 });
    expect((given.authenticate(header) as Caller).userId).toBe(1);
    vi.setSystemTime(expires * 1000);
    expect(await rejection(given, header)).toBe(invalidCredential);
    expect(await rejection(given, header)).toBe(invalidCredential);
  });

  test('rejects a user who is blocked after the JWT was verified', async () => {
    const changing = { role: 'authenticated', blocked: false, confirmed: true };
    const given = authenticator({ user: () => changing });
    const header = `Bearer ${sign({ id: 1 })}`;
    await given.authenticate(header);
    changing.blocked = true;
    expect(() => given.authenticate(header)).toThrow(userRejected);
  });
});
