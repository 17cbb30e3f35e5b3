// "Access" of the behaviour page: tokens, users and roles. It is the same in both dialects.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { john, licence1 } from '../support/bodies.ts';
import { ask, idsOf, openGuide, sha256 } from '../support/guide.ts';
import { signJwt } from '../support/jwt.ts';

const secret = 'a secret of at least thirty-two bytes';
const now = Math.floor(Date.now() / 1000);

/** A JWT as Strapi signs it, which expires in an hour. */
const sign = (payload: object, key = secret, algorithm: 'HS256' | 'HS512' = 'HS256') =>
  signJwt({ iat: now, exp: now + 3600, ...payload }, { secret: key, algorithm });

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    const permissions = ['api::restaurant.restaurant.find', 'api::chef.chef.find'];
    content = await openGuide({
      dialect,
      jwtSecret: secret,
      tokens: [
        { name: 'all', sha256: sha256('all-key'), type: 'full-access' },
        { name: 'reader', sha256: sha256('reader-key'), type: 'read-only' },
        { name: 'some', sha256: sha256('some-key'), type: 'custom', permissions },
        { name: 'none', sha256: sha256('none-key'), type: 'custom', permissions: [] },
      ],
    });
  });
  const status = async (path: string, token?: string, query = '') =>
    (await ask(content, path, query, { token })).status;

  test('a request without a token has the role public', async () => {
    expect(await status('/api/restaurants')).toBe(200);
    expect(await status('/api/licences')).toBe(403);
    expect(await status('/api/licences/licence-1')).toBe(403);
    expect(await status('/api/users')).toBe(403);
  });

  test('find and findOne are two permissions', async () => {
    expect(await status('/api/categories')).toBe(200);
    expect(await status('/api/categories/soup')).toBe(403);
    expect(await status('/api/chefs/ada')).toBe(200);
  });

  test('full-access and read-only API tokens read everything', async () => {
    for (const token of ['all-key', 'reader-key']) {
      expect(await status('/api/licences', token)).toBe(200);
      expect((await ask(content, '/api/licences/licence-1', '', { token })).body).toEqual({ data: licence1, meta: {} });
      expect(await status('/api/categories/soup', token)).toBe(200);
    }
  });

  test('a custom API token permits its list of actions and nothing else', async () => {
    expect(await status('/api/restaurants', 'some-key')).toBe(200);
    expect(await status('/api/restaurants/lodz-cafe', 'some-key')).toBe(403);
    expect(await status('/api/categories', 'some-key')).toBe(403);
    expect(await status('/api/restaurants', 'none-key')).toBe(403);
    expect(await status('/api/homepage', 'none-key')).toBe(403);
  });

  test('a JWT has the role of its user', async () => {
    const authenticated = sign({ id: 1 });
    const editor = sign({ id: 2 });
    expect(await status('/api/licences', authenticated)).toBe(200);
    expect(await status('/api/categories', authenticated)).toBe(403);
    expect(await status('/api/licences', editor)).toBe(403);
    expect(await status('/api/articles', editor)).toBe(200);
    expect(await idsOf(content, '/api/articles', 'status=draft&sort=id', editor)).toEqual([1, 5, 7]);
    if (dialect === 'document') expect(await status('/api/articles', authenticated, 'status=draft')).toBe(403);
  });

  test('/api/users/me is the user of the JWT, without the envelope, as recorded', async () => {
    const answer = await ask(content, '/api/users/me', '', { token: sign({ id: 1 }) });
    expect([answer.status, answer.body]).toEqual([200, john]);
  });

  test('the scheme is not case-sensitive', async () => {
    for (const authorization of ['bearer all-key', 'BEARER all-key']) {
      expect((await ask(content, '/api/licences', '', { authorization })).status).toBe(200);
    }
  });

  test('a bad token is 401, on any path that exists', async () => {
    const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const bad: Record<string, string> = {
      'an unknown token': 'nope',
      'the digest of a token': sha256('all-key'),
      'a token with something after it': 'all-key2',
      'a JWT of another secret': sign({ id: 1 }, `${secret}!`),
      'an expired JWT': sign({ id: 1, exp: now - 3600 }),
      'a JWT of another algorithm': sign({ id: 1 }, secret.repeat(2), 'HS512'),
      'a JWT without a signature': `${header}.${Buffer.from('{"id":1}').toString('base64url')}.`,
      'a JWT of no user': sign({ id: 99 }),
      'a JWT without an id': sign({ user: 1 }),
      'a JWT with an id of another kind': sign({ id: { $gt: 0 } }),
      'a JWT of a blocked user': sign({ id: 3 }),
    };
    for (const [title, token] of Object.entries(bad)) {
      for (const path of ['/api/restaurants', '/api/licences', '/api/restaurants/lodz-cafe']) {
        const answer = await ask(content, path, '', { token });
        expect(answer.status, `${title}: ${path}`).toBe(401);
        expect(answer.body.data).toBeNull();
        expect(answer.body.error).toMatchObject({ status: 401, name: 'UnauthorizedError', details: {} });
        expect(JSON.stringify(answer.body)).not.toContain(token);
      }
    }
  });

  test('every JWT is rejected without a secret', async () => {
    const guide = await openGuide({ dialect });
    expect((await ask(guide, '/api/restaurants', '', { token: sign({ id: 1 }) })).status).toBe(401);
  });

  test('roles passed to open() replace those of the folder', async () => {
    const roles = [{ type: 'public', name: 'Public', permissions: ['api::licence.licence.find'] }];
    const guide = await openGuide({ dialect, roles });
    expect((await ask(guide, '/api/licences')).status).toBe(200);
    expect((await ask(guide, '/api/restaurants')).status).toBe(403);
  });

  describe('permissions only ever remove', () => {
    test.each([
      'filters[licence][number]=L-1',
      'filters[$not][licence][number]=L-1',
      'filters[licence][$null]=true',
      'filters[licence]=61',
      'sort=licence.number',
      'populate[nearby][filters][licence][number]=L-1',
      'populate[nearby][sort]=licence.number',
      'filters[chef][account][email][$startsWith]=j',
      'sort=chef.account.email',
    ])('the public may not name it: %s', async (query) => {
      expect(await status('/api/restaurants', undefined, query)).toBe(400);
      expect(await status('/api/restaurants', 'all-key', query)).toBe(200);
    });

    test('a reply for one role is never given to another', async () => {
      const query = 'fields=name&filters[id]=1&populate=licence';
      const withLicence = { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', licence: licence1 };
      const without = { id: 1, documentId: 'lodz-cafe', name: 'Łódź café' };
      for (const [token, expected] of [
        ['all-key', withLicence],
        [undefined, without],
        ['some-key', without],
        ['all-key', withLicence],
      ] as const) {
        expect((await ask(content, '/api/restaurants', query, { token })).body.data).toEqual([expected]);
      }
    });

    test('a search ignores private fields and passwords', async () => {
      for (const token of [undefined, 'all-key']) {
        expect(await idsOf(content, '/api/restaurants', '_q=Zofia', token)).toEqual([]);
        expect(await idsOf(content, '/api/restaurants', '_q=4711', token)).toEqual([]);
      }
    });

    test('passwords and private fields are in no reply, whoever asks', async () => {
      for (const query of [
        'populate=*',
        'fields=*',
        'populate[nearby]=true&populate[chef][populate][restaurants]=true',
      ]) {
        const { body } = await ask(content, '/api/restaurants', query, { token: 'all-key' });
        expect(JSON.stringify(body)).not.toMatch(/4711|Zofia|"pin"|"secretNote"|"password"/);
      }
    });
  });
});

test('the inverse side of a private relation is shown unless it is private too', async () => {
  const to = (target: string, rest: object) => ({ type: 'relation', target: `api::${target}.${target}`, ...rest });
  const content = await open({
    contentTypes: [
      {
        info: { singularName: 'book', pluralName: 'books' },
        attributes: {
          editor: to('person', { relation: 'manyToOne', inversedBy: 'edited', private: true }),
          ghost: to('person', { relation: 'manyToOne', inversedBy: 'ghosted', private: true }),
          readers: to('person', { relation: 'manyToMany', inversedBy: 'read', private: true }),
          about: { type: 'relation', relation: 'morphToMany', private: true },
        },
      },
      {
        info: { singularName: 'person', pluralName: 'people' },
        attributes: {
          edited: to('book', { relation: 'oneToMany', mappedBy: 'editor' }),
          ghosted: to('book', { relation: 'oneToMany', mappedBy: 'ghost', private: true }),
          read: to('book', { relation: 'manyToMany', mappedBy: 'readers' }),
          mentioned: to('book', { relation: 'morphMany', morphBy: 'about' }),
        },
      },
    ],
    entries: {
      book: [
        {
          ...{ id: 1, documentId: 'b', editor: 'p', ghost: 'p', readers: ['q', 'p'] },
          about: [{ __type: 'api::person.person', documentId: 'p' }],
        },
      ],
      person: [
        { id: 1, documentId: 'p' },
        { id: 2, documentId: 'q' },
      ],
    },
    roles: [{ type: 'public', permissions: ['api::book.book.find', 'api::person.person.find'] }],
  } as never);
  const { body } = await ask(content, '/api/people', 'populate=*&sort=id');
  const ids = (books: unknown) => (books as { id: number }[]).map(({ id }) => id);
  const [first, second] = body.data as Record<string, unknown>[];
  expect([first.edited, first.read, first.mentioned].map(ids)).toEqual([[1], [1], [1]]);
  expect([second.edited, second.read, second.mentioned].map(ids)).toEqual([[], [1], []]);
  expect(first).not.toHaveProperty('ghosted');
  expect(await idsOf(content, '/api/people', 'filters[edited][id]=1')).toEqual([1]);
  for (const name of ['editor', 'ghost', 'readers', 'about']) {
    const { body: refused } = await ask(content, '/api/books', `populate=${name}`);
    expect(refused.error!.message).toBe(`Invalid key ${name}: there is no such attribute`);
  }
});
