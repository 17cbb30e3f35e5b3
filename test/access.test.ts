import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AccessUser, Authenticator, type Caller, type ContentAccess } from '../src/access/authenticate.ts';
import type { RoleDefinition } from '../src/access/definitions.ts';
import { allPermissions, permissionsFor, readOnlyPermissions } from '../src/access/permissions.ts';
import { Roles } from '../src/access/roles.ts';
import { UnauthorizedError } from '../src/base/errors.ts';

describe('permission sets', () => {
  it('full access allows everything, drafts too', () => {
    expect(allPermissions().id).toBe('full');
    expect(allPermissions().allows('api::a.a.find')).toBe(true);
    expect(allPermissions().allows('plugin::users-permissions.user.me')).toBe(true);
    expect(allPermissions().readsDrafts).toBe(true);
  });

  it('read-only allows what finds, by the last part of the action alone', () => {
    expect(readOnlyPermissions().id).toBe('read');
    expect(readOnlyPermissions().readsDrafts).toBe(true);
    for (const action of ['api::a.a.find', 'api::a.a.findOne', 'plugin::upload.content-api.find']) {
      expect(readOnlyPermissions().allows(action), action).toBe(true);
    }
    for (const action of ['api::a.a.findAll', 'api::find.find.me', 'api::a.a.Find', 'api::a.a.find.x', '']) {
      expect(readOnlyPermissions().allows(action), action).toBe(false);
    }
  });

  it('a list allows its actions and no others', () => {
    const set = permissionsFor(['api::a.a.find', 'api::b.b.findOne']);
    expect(set.allows('api::a.a.find')).toBe(true);
    expect(set.allows('api::a.a.findOne')).toBe(false);
    expect(set.allows('api::a.a')).toBe(false);
    expect(set.readsDrafts).toBe(false);
    expect(permissionsFor(['draft']).readsDrafts).toBe(true);
    expect(permissionsFor([]).allows('toString')).toBe(false);
  });

  it('ids are equal exactly when the rights are', () => {
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Options {
  roles?: RoleDefinition[];
  jwtSecret?: string;
  user?: ContentAccess['user'];
  emailConfirmation?: boolean;
  ignoresOtherCredentials?: boolean;
}

/** An authenticator, and the content that it asks for users and roles. */
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
  });
  return { role, authenticate: (authorization?: string) => known.authenticate(authorization, access) };
}

const sign = (payload: Record<string, unknown>, key = secret, algorithm = 'HS256') =>
  new SignJWT(payload).setProtectedHeader({ alg: algorithm }).sign(new TextEncoder().encode(key));

/** The message of the refusal, thrown or rejected with. */
async function refusal(given: ReturnType<typeof authenticator>, authorization: string): Promise<string> {
  try {
    await given.authenticate(authorization);
  } catch (error) {
    expect(error).toBeInstanceOf(UnauthorizedError);
    return (error as Error).message;
  }
  throw new Error(`${authorization} was accepted`);
}

const notCredentials = 'Missing or invalid credentials';
const notWelcome = 'Invalid credentials';

describe('callers', () => {
  afterEach(() => vi.useRealTimers());

  it('without a header: the public role, at once', () => {
    const caller = authenticator().authenticate(undefined) as Caller;
    expect(caller.userId).toBeNull();
    expect(caller.permissions.id).toBe(permissionsFor(['api::a.a.find']).id);
  });

  it('without a public role: no permissions', () => {
    const caller = authenticator({ roles: [] }).authenticate(undefined) as Caller;
    expect(caller.permissions.id).toBe(permissionsFor([]).id);
  });

  it('of two roles of one type the later counts', () => {
    const roles = [
      { type: 'public', permissions: ['api::a.a.find'] },
      { type: 'public', permissions: [] },
    ];
    expect(authenticator({ roles }).role('public').id).toBe(permissionsFor([]).id);
  });

  it('public actions are added to the role public, whether or not it is defined', () => {
    const roles = [{ type: 'public', permissions: ['api::a.a.find'] }];
    const permissions = (definitions: RoleDefinition[]) =>
      new Roles(definitions, () => ['api::b.b.find']).permissions('public').id;
    expect(permissions(roles)).toBe(permissionsFor(['api::a.a.find', 'api::b.b.find']).id);
    expect(permissions([])).toBe(permissionsFor(['api::b.b.find']).id);
  });

  it('tokens are known by their digest, at once', () => {
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
  it.each(notBearer)('the header %j is no credential', async (header) =>
    expect(await refusal(authenticator(), header)).toBe(notCredentials),
  );

  // a server trims headers, so that this one is `Bearer` alone
  it.each(notBearer.filter((header) => header !== 'Bearer '))(
    'the header %j counts as none where other credentials are ignored',
    async (header) => {
      const given = authenticator({ ignoresOtherCredentials: true });
      expect(await given.authenticate(header)).toBe(await given.authenticate(undefined));
    },
  );

  it('an unknown token, or the digest of a token, is no credential', async () => {
    expect(await refusal(authenticator(), 'Bearer nothing')).toBe(notCredentials);
    expect(await refusal(authenticator(), `Bearer ${sha256('all-token')}`)).toBe(notCredentials);
  });

  it("a user's JWT gives the permissions of the user's role", async () => {
    const caller = await authenticator().authenticate(`Bearer ${await sign({ id: 1 })}`);
    expect(caller.userId).toBe(1);
    expect(caller.permissions.id).toBe(permissionsFor(['api::b.b.find', 'api::a.a.find']).id);
  });

  it('a role that does not exist gives no permissions', async () => {
    const caller = await authenticator().authenticate(`Bearer ${await sign({ id: 5 })}`);
    expect(caller.permissions.id).toBe(permissionsFor([]).id);
  });

  it('a JWT that is not good is no credential', async () => {
    const given = authenticator();
    const good = await sign({ id: 1 });
    const [header, payload, signature] = good.split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    const jwts = [
      await sign({ id: 1 }, 'another secret'),
      await sign({ id: 1 }, secret.padEnd(64, ' ')),
      await sign({ id: 1 }, secret, 'HS512'),
      await sign({ id: 1, exp: Math.floor(Date.now() / 1000) - 1 }),
      await sign({ id: 1, nbf: Math.floor(Date.now() / 1000) + 60 }),
      await sign({}),
      await sign({ id: '1' }),
      await sign({ id: 1.5 }),
      await sign({ id: null }),
      await sign({ userId: '1', type: 'refresh' }),
      none,
      `${header}.${payload}.`,
      `${header}.${Buffer.from('{"id":2}').toString('base64url')}.${signature}`,
      '..',
      'a.b.c',
    ];
    for (const jwt of jwts) expect(await refusal(given, `Bearer ${jwt}`), jwt).toBe(notCredentials);
  });

  it('without a secret no JWT is good, not even one signed with nothing', async () => {
    const jwt = await sign({ id: 1 });
    expect(await refusal(authenticator({ jwtSecret: undefined }), `Bearer ${jwt}`)).toBe(notCredentials);
    expect(await refusal(authenticator({ jwtSecret: '' }), `Bearer ${jwt}`)).toBe(notCredentials);
  });

  it('a user who is missing or blocked may not come in', async () => {
    expect(await refusal(authenticator(), `Bearer ${await sign({ id: 99 })}`)).toBe(notWelcome);
    expect(await refusal(authenticator(), `Bearer ${await sign({ id: 2 })}`)).toBe(notWelcome);
  });

  it('a user without a role has no credential', async () => {
    expect(await refusal(authenticator(), `Bearer ${await sign({ id: 4 })}`)).toBe(notCredentials);
  });

  it('a user who has not confirmed may come in unless that is asked for', async () => {
    const header = `Bearer ${await sign({ id: 3 })}`;
    expect((await authenticator().authenticate(header)).userId).toBe(3);
    expect(await refusal(authenticator({ emailConfirmation: true }), header)).toBe(notWelcome);
  });

  it('a verified JWT answers at once from then on, until it expires', async () => {
    const given = authenticator();
    const expires = Math.floor(Date.now() / 1000) + 60;
    const header = `Bearer ${await sign({ id: 1, exp: expires })}`;
    const first = given.authenticate(header);
    expect(first).toBeInstanceOf(Promise);
    await first;
    expect((given.authenticate(header) as Caller).userId).toBe(1);

    vi.useFakeTimers({ now: expires * 1000 - 1 });
    expect((given.authenticate(header) as Caller).userId).toBe(1);
    vi.setSystemTime(expires * 1000);
    expect(await refusal(given, header)).toBe(notCredentials);
    expect(await refusal(given, header)).toBe(notCredentials);
  });

  it('a user who is blocked later is refused, although the JWT is remembered', async () => {
    const changing = { role: 'authenticated', blocked: false, confirmed: true };
    const given = authenticator({ user: () => changing });
    const header = `Bearer ${await sign({ id: 1 })}`;
    await given.authenticate(header);
    changing.blocked = true;
    expect(() => given.authenticate(header)).toThrow(notWelcome);
  });
});
