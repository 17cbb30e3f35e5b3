/**
 * Every route by every kind of caller, with a cold and a warm cache. The replies must equal those of
 * content without a cache, and their statuses must follow from the permissions.
 */
import { describe, expect, test } from 'vitest';
import type { SchemaReply } from '../../src/description/schema-reply.ts';
import { type Content, type JsonSnapshot, type OpenOptions, open } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { encodeQuery, openGuide, sha256, thingSnapshot } from '../support/guide.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';

const chefPermissions = ['api::restaurant.restaurant.find', 'api::chef.chef.find', 'api::chef.chef.findOne'];
const tokens: OpenOptions['tokens'] = [
  { name: 'all', sha256: sha256('all'), type: 'full-access' },
  { name: 'reader', sha256: sha256('reader'), type: 'read-only' },
  { name: 'chefs', sha256: sha256('chefs'), type: 'custom', permissions: chefPermissions },
  { name: 'nothing', sha256: sha256('nothing'), type: 'custom', permissions: [] },
];

/** The actions that a caller may perform, or null if the caller is rejected. */
const callers: Record<string, { authorization?: string; may: ((action: string) => boolean) | null }> = {
  none: { may: (action) => publicActions.has(action) },
  'a wrong token': { authorization: 'Bearer wrong', may: null },
  'a full-access token': { authorization: 'Bearer all', may: () => true },
  'a read-only token': { authorization: 'Bearer reader', may: (action) => /\.(find|findOne)$/.test(action) },
  'a custom token': { authorization: 'Bearer chefs', may: (action) => chefPermissions.includes(action) },
  'an empty token': { authorization: 'Bearer nothing', may: () => false },
  'a user (authenticated)': { authorization: `Bearer ${jwtOf(1)}`, may: (action) => userActions.has(action) },
  'a user (editor)': { authorization: `Bearer ${jwtOf(2)}`, may: (action) => editorActions.has(action) },
  'a blocked user': { authorization: `Bearer ${jwtOf(3)}`, may: null },
  'a user who is gone': { authorization: `Bearer ${jwtOf(99)}`, may: null },
  'an expired JWT': { authorization: `Bearer ${jwtOf(1, { expires: 1_000_000_000 })}`, may: null },
  'a JWT of another secret': { authorization: `Bearer ${jwtOf(1, { secret: 'another' })}`, may: null },
};

const apiActions = (type: string, ...verbs: string[]) => verbs.map((verb) => `api::${type}.${type}.${verb}`);
// the permissions of the guide's roles.json, written by hand
const publicActions = new Set([
  ...['restaurant', 'chef', 'article'].flatMap((type) => apiActions(type, 'find', 'findOne')),
  ...['category', 'bookmark', 'homepage'].flatMap((type) => apiActions(type, 'find')),
  ...['find', 'findOne'].map((verb) => `plugin::upload.content-api.${verb}`),
  'plugin::i18n.locales.listLocales',
]);
const userActions = new Set([
  ...apiActions('restaurant', 'find', 'findOne'),
  ...apiActions('chef', 'find'),
  ...apiActions('licence', 'find', 'findOne'),
  ...apiActions('article', 'find'),
  ...['find', 'me'].map((verb) => `plugin::users-permissions.user.${verb}`),
]);
const editorActions = new Set([
  ...apiActions('article', 'find', 'findOne'),
  ...apiActions('chef', 'find'),
  ...apiActions('homepage', 'find'),
  'draft',
]);

const user = 'plugin::users-permissions.user';
/** Every route with the action that it requires. */
const routes: [path: string, action: string][] = [
  ['restaurants', 'api::restaurant.restaurant.find'],
  ['restaurants/lodz-cafe', 'api::restaurant.restaurant.findOne'],
  ['chefs', 'api::chef.chef.find'],
  ['chefs/ada', 'api::chef.chef.findOne'],
  ['categories', 'api::category.category.find'],
  ['categories/soup', 'api::category.category.findOne'],
  ['articles', 'api::article.article.find'],
  ['articles/first', 'api::article.article.findOne'],
  ['bookmarks', 'api::bookmark.bookmark.find'],
  ['bookmarks/mark-1', 'api::bookmark.bookmark.findOne'],
  ['licences', 'api::licence.licence.find'],
  ['licences/licence-1', 'api::licence.licence.findOne'],
  ['homepage', 'api::homepage.homepage.find'],
  ['upload/files', 'plugin::upload.content-api.find'],
  ['upload/files/1', 'plugin::upload.content-api.findOne'],
  ['users', `${user}.find`],
  ['users/1', `${user}.findOne`],
  ['users/me', `${user}.me`],
  ['users/count', `${user}.count`],
  ['users-permissions/roles', 'plugin::users-permissions.role.find'],
  ['users-permissions/roles/1', 'plugin::users-permissions.role.findOne'],
  ['i18n/locales', 'plugin::i18n.locales.listLocales'],
];

/** Every parameter. Some affect only some routes; rejections must be equal too. */
const queries = [
  ...['', 'filters[id][$gt]=0', 'filters[chef][name][$notNull]=true', 'filters[licence][number]=L-1', 'sort=id:desc'],
  ...[
    'sort=licence.number',
    'fields=id',
    'populate=*',
    'populate[chef][populate]=*',
    'populate=licence',
    'populate=licence&sort=id',
    'populate[role]=true',
  ],
  ...[
    'pagination[pageSize]=1',
    'status=draft',
    'locale=*',
    '_q=a',
    'publicationFilter=modified',
    'hasPublishedVersion=true',
  ],
  ...['facets=id', 'facets[0]=chef.name&facets[1]=licence.number'],
];

/**
 * Each route with each query, or every third of these pairs unless all cases run. The number of queries is not a
 * multiple of three, so no route and no query is left out.
 */
const urls = routes
  .flatMap(([path, action]) => queries.map((query) => [path, action, query] as const))
  .filter((_, i) => i % caseCount(1, 3) === 0);

/** A header that is not a bearer token: rejected in one dialect, ignored in the other. */
const noBearer = {
  document: { authorization: 'Basic YTpi', may: null },
  strapi: { authorization: 'Basic YTpi', may: callers.none.may },
};

/** The list rotated to another start. */
const rotated = <Item>(list: Item[], by: number): Item[] => {
  const start = by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
};

const statusOf = async (content: Content, url: string, authorization?: string) => {
  const { status, headers, body } = await content.answer(url, { authorization });
  // the epoch of a version is the time of loading
  const { 'X-Lectern-Version': _, ...others } = headers;
  return { status, headers: others, body: body.toString() };
};

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test('replies the same from a cold and a warm cache, for every route, parameter and caller', async () => {
    const asking: typeof callers = { ...callers, 'no bearer': noBearer[dialect] };
    const truth = await openGuide({ dialect, tokens, jwtSecret, cacheBytes: 0 });
    const cached = await openGuide({ dialect, tokens, jwtSecret });
    let compared = 0;
    for (const [number, [path, action, query]] of urls.entries()) {
      const url = `/api/${path}${query && `?${encodeQuery(query)}`}`;
      const expected = new Map<string, string>();
      for (const [name, { authorization, may }] of Object.entries(asking)) {
        const answer = await statusOf(truth, url, authorization);
        expected.set(name, JSON.stringify(answer));
        const entered = answer.status !== 401 && answer.status !== 403;
        // drafts require a separate permission in one dialect, and an API token has no user for `me`
        const tellsOfDrafts = /^(status=draft|publicationFilter|hasPublishedVersion)/.test(query);
        const isHeldBack = may?.(action) && (tellsOfDrafts || path === 'users/me');
        const isRight = isHeldBack || entered === (may?.(action) ?? false);
        if (!isRight) expect.fail(`${name}: ${url} is answered with ${answer.status}`);
      }
      // a different caller finds each cache cold
      const order = rotated(Object.keys(asking), number);
      for (const name of [...order, ...order, ...order]) {
        const answer = JSON.stringify(await statusOf(cached, url, asking[name].authorization));
        if (answer !== expected.get(name))
          expect({ url, name, answer }).toEqual({ url, name, answer: expected.get(name) });
        compared++;
      }
    }
    expect(compared).toBe(urls.length * Object.keys(asking).length * 3);
  });
});

describe.each(['document', 'strapi'] as const)('what is said about queries in the dialect %s', (dialect) => {
  const asking: typeof callers = { ...callers, 'no bearer': noBearer[dialect] };

  test('explains to a caller what it may request, and counts for full access alone', async () => {
    const content = await openGuide({ dialect, tokens, jwtSecret });
    for (const [path, , query] of urls) {
      const url = `/api/${path}${query && `?${encodeQuery(query)}`}`;
      for (const [name, { authorization }] of Object.entries(asking)) {
        const answer = await content.answer(url, { authorization });
        const { status, body } = await content.answerExplain(url, { authorization });
        const reply = JSON.parse(body.toString());
        const place = `${name}: ${url}`;
        expect(status, place).toBe(answer.status);
        if (status !== 200) {
          expect(body.toString(), place).toBe(answer.body.toString());
          continue;
        }
        expect(reply.bytes, place).toBe(answer.body.length);
        const own = Object.keys(reply).filter((key) => !['status', 'stages', 'bytes'].includes(key));
        expect(own.length > 0, place).toBe(name === 'a full-access token');
      }
    }
  });

  test('describes to a caller what it may request', async () => {
    const content = await openGuide({ dialect, tokens, jwtSecret });
    const named = new Map<string, string[]>();
    for (const [name, { authorization, may }] of Object.entries(asking)) {
      const { status, body } = await content.answerSchema('', { authorization });
      expect([name, status]).toEqual([name, may === null ? 401 : 200]);
      if (may === null) continue;
      const reply = JSON.parse(body.toString()) as SchemaReply;
      for (const [path, action] of routes) {
        const template = path.replace(/\/(?:lodz-cafe|ada|soup|first|mark-1|licence-1|1)$/, '');
        const described = reply.routes.filter((route) => route.action === action);
        expect([name, path, described.length > 0]).toEqual([name, path, may(action)]);
        for (const route of described) expect(route.path.startsWith(template)).toBe(true);
      }
      const hasFullAccess = name === 'a full-access token';
      expect([name, reply.hasFullAccess, reply.roles.length > 0]).toEqual([name, hasFullAccess, hasFullAccess]);
      named.set(
        name,
        reply.types.flatMap(({ uid, attributes }) => [uid, ...attributes.map((each) => `${uid} ${each.name}`)]),
      );
    }
    // rights only add names
    const all = new Set(named.get('a full-access token'));
    for (const [name, names] of named) expect([name, names.filter((each) => !all.has(each))]).toEqual([name, []]);
    expect(named.get('an empty token')).toEqual([]);
    expect(named.get('none')!.join()).not.toMatch(/licence/);
    expect(named.get('a user (authenticated)')!.join()).toMatch(/licence/);
  });
});

describe('users who are rejected', () => {
  const snapshot = (attribute: object, blocked: unknown): JsonSnapshot =>
    thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a', name: 'a' }], {
      contentTypes: [
        { info: { singularName: 'thing', pluralName: 'things' }, attributes: { name: { type: 'string' } } },
        { uid: user, attributes: attribute },
      ],
      roles: [{ type: 'authenticated', permissions: apiActions('thing', 'find') }],
      entries: {
        thing: [{ documentId: 'a', name: 'a' }],
        user: [
          {
            id: 1,
            documentId: 'free',
            username: 'free',
            email: 'a@example.org',
            role: 'authenticated',
            blocked: false,
          },
          { id: 2, documentId: 'held', username: 'held', email: 'b@example.org', role: 'authenticated', blocked },
        ],
      },
    });

  test.each([
    ['public', {}, true],
    ['private', { blocked: { type: 'boolean', private: true } }, true],
    ['private, with a value that is no boolean', { blocked: { type: 'string', private: true } }, 'yes'],
  ])('a blocked user is rejected if `blocked` is %s', async (_, attributes, blocked) => {
    const content = await open(snapshot(attributes, blocked), { jwtSecret });
    const as = async (id: number) =>
      (await content.answer('/api/things', { authorization: `Bearer ${jwtOf(id)}` })).status;
    expect([await as(1), await as(2)]).toEqual([200, 401]);
  });

  test('a user whose role is private has no permissions', async () => {
    const role = {
      role: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.role', private: true },
    };
    const content = await open(snapshot(role, false), { jwtSecret });
    expect((await content.answer('/api/things', { authorization: `Bearer ${jwtOf(1)}` })).status).toBe(401);
  });
});

describe('permissions of unknown actions', () => {
  const custom = (...permissions: string[]) => ({
    name: 'mine',
    sha256: sha256('x'),
    type: 'custom' as const,
    permissions,
  });

  test.each([
    'api::nope.nope.find',
    'api::chef.chef.findone',
    'api:chef.chef.find',
    'chef',
    'drafts',
    'plugin::upload.content-api.get',
    '',
  ])('the permission %j of a token or a role is rejected by name', async (permission) => {
    const named = permission === '' ? 'permissions' : permission;
    const opening = openGuide({ tokens: [custom('api::chef.chef.find', permission)] });
    await expect(opening).rejects.toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(named) }),
    );
    if (permission === '') return;
    await expect(openGuide({ tokens: [custom(permission)] })).rejects.toThrow(/tokens\[0\].permissions\[0\] of "mine"/);
    const roles = [{ type: 'editor', permissions: [permission] }];
    await expect(openGuide({ roles })).rejects.toThrow(/roles\[0\].permissions\[0\] of "editor"/);
  });

  test('permissions that Strapi knows are accepted, whether or not they have an effect', async () => {
    const permissions = [
      'draft',
      'api::chef.chef.update',
      'plugin::email.email.send',
      'plugin::users-permissions.user.me',
      ...publicActions,
    ];
    await openGuide({ tokens: [custom(...permissions)] });
  });
});
