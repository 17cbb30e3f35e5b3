/** Custom routes of the module named by `extend`. */
import express from 'express';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createListener } from '../../src/http/app.ts';
import type { Content, OpenOptions } from '../../src/index.ts';
import { ask, openGuide, sha256 } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { moduleFile, moduleFolder, removeModulesAfterAll } from './module.ts';

removeModulesAfterAll();

afterAll(closeServers);

const tokens: OpenOptions['tokens'] = [{ name: 'all', sha256: sha256('all'), type: 'full-access' }];

/** Content with custom routes, written as the items of a list. */
const withRoutes = (routes: string, options: OpenOptions = {}): Promise<Content> =>
  openGuide({ tokens, ...options, extend: moduleFile(`export default { customRoutes: [${routes}] };`) });

describe('paths', () => {
  let content: Content;
  beforeAll(async () => {
    content = await withRoutes(`
      { path: '/chefs/by-name/:name', handler: ({ params, query }) => ({ params, query }) },
      { path: '/chefs/:id', handler: ({ params }) => ({ chef: params.id }) },
      { path: '/café', handler: () => 'coffee' },
      { path: '/files/*parts', handler: ({ params }) => params.parts },
      { path: '/feed{/:page}', handler: ({ params }) => ({ page: params.page ?? null }) }`);
  });

  test.each([
    ['/api/chefs/by-name/Ada%20B?sort[0]=x&y', { params: { name: 'Ada B' }, query: { sort: ['x'], y: null } }],
    ['/api/Chefs/By-Name/x/', { params: { name: 'x' }, query: {} }],
    ['/api/chefs/ada', { chef: 'ada' }],
    ['/api/caf%C3%A9', 'coffee'],
    ['/api/files/a/b%2Fc', ['a', 'b/c']],
    ['/api/feed', { page: null }],
    ['/api/feed/2', { page: '2' }],
  ])('%s', async (path, expected) => {
    const { status, body } = await ask(content, path);
    expect([status, body]).toEqual([200, expected]);
  });

  test('requests that match no custom route are content', async () => {
    const plain = await openGuide();
    const answerOf = async (of: Content, path: string) => {
      const { status, headers, body } = await ask(of, path);
      return { status, headers: { ...headers, 'X-Lectern-Version': undefined }, body };
    };
    for (const path of [
      '/api/chefs',
      '/api/chefs/by-name/%',
      '/api/chefs/a/b',
      '/api/files',
      '/api/nosuch',
      '/chefs/ada',
    ]) {
      expect(await answerOf(content, path), path).toEqual(await answerOf(plain, path));
    }
  });
});

describe('a read in a handler', () => {
  const routes = `
    { path: '/dishes', handler: ({ find, role }) => ({ role, found: find('restaurants', { populate: 'licence', pagination: { limit: 1 } }) }) },
    { path: '/chef/:id', handler: ({ findOne, params }) => findOne('chefs', params.id, { fields: ['name'] }).data },
    { path: '/licence', handler: ({ find }) => find('licences') },
    { path: '/wrong', handler: ({ find }) => find('chefs', { sort: 'nosuch' }) },
    { path: '/list', handler: ({ find }) => find('nosuch') }`;

  test('has the permissions of the caller', async () => {
    const content = await withRoutes(routes);
    const open = await ask(content, '/api/dishes');
    expect(open.body).toMatchObject({ role: 'public' });
    expect(JSON.stringify(open.body)).not.toContain('licence');
    const full = await ask(content, '/api/dishes', '', { token: 'all' });
    expect(full.body).toMatchObject({ role: 'token' });
    expect(JSON.stringify(full.body)).toContain('licence');
    expect((await ask(content, '/api/licence')).status).toBe(403);
    expect((await ask(content, '/api/licence', '', { token: 'all' })).status).toBe(200);
    expect((await ask(content, '/api/dishes', '', { token: 'wrong' })).status).toBe(401);
  });

  test('succeeds or fails as over HTTP', async () => {
    const content = await withRoutes(routes);
    expect((await ask(content, '/api/chef/ada')).body).toMatchObject({ documentId: 'ada', name: 'Ada' });
    expect((await ask(content, '/api/chef/nobody')).status).toBe(404);
    const message = 'Invalid key nosuch: there is no such attribute';
    expect((await ask(content, '/api/wrong')).body.error).toMatchObject({ status: 400, message });
    expect((await ask(content, '/api/list')).status).toBe(404);
    expect(
      (await ask(content, '/api/chef/ada?a[b][c][d][e][f][g][h][i][j][k][l][m][n][o][p][q][r][s][t][u][v]=1')).status,
    ).toBe(400);
  });

  test('ignores the setting `routes`, which is for clients', async () => {
    const settings = { 'api::chef.chef': { find: { set: { fields: ['name'] } } } };
    const content = await withRoutes(`{ path: '/all', handler: ({ find }) => find('chefs').data[0] }`, {
      routes: settings,
    });
    expect((await ask(content, '/api/all')).body).toHaveProperty('stars');
  });
});

describe('an action', () => {
  const routes = `{ path: '/secret', action: 'api::chef.chef.secret', handler: () => 'told' }`;

  test('is required from every caller', async () => {
    const content = await withRoutes(routes);
    expect((await ask(content, '/api/secret')).body.error).toMatchObject({ status: 403, name: 'ForbiddenError' });
    expect((await ask(content, '/api/secret', '', { token: 'all' })).body).toBe('told');
  });

  test('may be granted to roles and tokens', async () => {
    const content = await withRoutes(routes, { roles: [{ type: 'public', permissions: ['api::chef.chef.secret'] }] });
    expect((await ask(content, '/api/secret')).body).toBe('told');
    await expect(openGuide({ roles: [{ type: 'public', permissions: ['api::chef.chef.secret'] }] })).rejects.toThrow(
      'names no action of that type',
    );
  });
});

describe('replies', () => {
  const cases: [string, object, string, string][] = [
    ['{ a: 1 }', { 'Content-Type': 'application/json; charset=utf-8' }, '200', '{"a":1}'],
    ["'text'", { 'Content-Type': 'application/json; charset=utf-8' }, '200', '"text"'],
    ['null', { 'Content-Type': 'application/json; charset=utf-8' }, '200', 'null'],
    ["reply({ body: 'text' })", { 'Content-Type': 'text/plain; charset=utf-8' }, '200', 'text'],
    [
      "reply({ headers: { 'content-type': 'application/xml' }, body: '<a/>' })",
      { 'content-type': 'application/xml' },
      '200',
      '<a/>',
    ],
    ['reply({ body: new Uint8Array([65]) })', { 'Content-Type': 'application/octet-stream' }, '200', 'A'],
    ['reply({ status: 410, body: { gone: true } })', { 'Cache-Control': 'no-store' }, '410', '{"gone":true}'],
    ["reply({ status: 302, headers: { Location: '/x' } })", { Location: '/x' }, '302', ''],
    ['reply({ status: 204 })', {}, '204', ''],
    ['Promise.resolve([1])', {}, '200', '[1]'],
  ];

  test.each(cases)('%s', async (result, headers, status, text) => {
    const content = await withRoutes(`{ path: '/x', handler: ({ reply }) => (${result}) }`);
    const reply = await content.answer('/api/x');
    expect(reply.headers).toMatchObject({ 'X-Lectern-Snapshot': content.summary.version, ...headers });
    expect([String(reply.status), reply.body.toString(), reply.route]).toEqual([status, text, '/api/x']);
  });

  test('a result of undefined is a 404', async () => {
    const content = await withRoutes(`{ path: '/x', handler: () => undefined }`);
    expect((await ask(content, '/api/x')).body.error).toMatchObject({ status: 404, name: 'NotFoundError' });
  });

  test.each([
    ['reply({ status: 99 })', 'replied with the status 99; it must be from 200 to 599, except 304'],
    ["reply({ status: '200' })", 'replied with the status "200"; it must be from 200 to 599, except 304'],
    [
      "reply({ headers: { 'Content-Length': '5' } })",
      'replied with the header Content-Length, which the server sets itself',
    ],
    ["reply({ headers: { 'a b': 'c' } })", 'replied with an invalid header'],
    ["reply({ headers: { a: 'b\\nc' } })", 'replied with an invalid header'],
    ['() => 1', 'returned the function (without a name), which is not JSON'],
    ['({ a: 1n })', 'returned a value that is not JSON'],
    ["(() => { throw new TypeError('no') })()", 'threw TypeError: no'],
    ["Promise.reject(new TypeError('no'))", 'threw TypeError: no'],
    ["Promise.reject('no')", 'threw "no"'],
  ])('%s fails', async (result, message) => {
    const content = await withRoutes(`{ path: '/x', handler: ({ reply }) => (${result}) }`);
    await expect(content.answer('/api/x')).rejects.toThrow(message);
    await expect(content.answer('/api/x')).rejects.toThrow(`${moduleFolder}/`);
  });

  test.each([
    [
      "Object.assign(new Error('Teapot'), { status: 418 })",
      { status: 418, name: 'ImaTeapotError', message: 'Teapot', details: {} },
    ],
    [
      "Object.assign(new RangeError('Too far'), { status: 400, details: { far: 1 } })",
      { status: 400, name: 'RangeError', message: 'Too far', details: { far: 1 } },
    ],
    [
      'Object.assign(new Error(), { status: 503 })',
      { status: 503, name: 'ServiceUnavailableError', message: 'Service Unavailable', details: {} },
    ],
  ])('throw %s is answered with its status', async (error, expected) => {
    const content = await withRoutes(`{ path: '/x', handler: async () => { throw ${error}; } }`);
    const { status, body } = await ask(content, '/api/x');
    expect([status, body.error]).toEqual([expected.status, expected]);
  });

  test('a handler that never ends is aborted', async () => {
    const content = await withRoutes(`{ path: '/x', handler: () => new Promise(() => {}) }`);
    vi.useFakeTimers();
    try {
      const answer = expect(content.answer('/api/x')).rejects.toThrow('the handler of /x took more than 30000 ms');
      await vi.advanceTimersByTimeAsync(30_000);
      await answer;
    } finally {
      vi.useRealTimers();
    }
  });
});

test.each([
  [undefined, undefined, 'public, max-age=0, must-revalidate'],
  [undefined, 'all', 'private, max-age=0, must-revalidate'],
  ['public, max-age=60', undefined, 'public, max-age=60'],
  ['public, max-age=60', 'all', 'private, max-age=0, must-revalidate'],
  ['private, max-age=60', 'all', 'private, max-age=60'],
])('Cache-Control of the route %s for the token %s', async (value, token, expected) => {
  const cacheControl = value === undefined ? '' : `cacheControl: '${value}',`;
  const content = await withRoutes(`{ path: '/x', ${cacheControl} handler: () => 1 }`);
  expect((await ask(content, '/api/x', '', { token })).headers['Cache-Control']).toBe(expected);
});

test('custom routes have ETag, 304, compression and HEAD over HTTP, and log a 500', async () => {
  const content = await withRoutes(`
    { path: '/long', handler: () => 'long '.repeat(1000) },
    { path: '/fails', handler: () => { throw new Error('secret'); } }`);
  const port = await listen(createListener(content));
  const first = await askServer(port, '/api/long', { headers: { 'Accept-Encoding': 'gzip' } });
  expect(first).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
  const { etag } = (await askServer(port, '/api/long')).headers;
  expect((await askServer(port, '/api/long', { headers: { 'If-None-Match': etag! } })).status).toBe(304);
  const head = await askServer(port, '/api/long', { method: 'HEAD' });
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '5002', 0]);
  expect((await askServer(port, '/api/long', { method: 'POST' })).status).toBe(405);
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const failed = await askServer(port, '/api/fails');
  expect([failed.status, failed.json().error.message]).toEqual([500, 'Internal Server Error']);
  const [logged] = log.mock.calls[0].slice(-1) as [Error];
  expect(logged.message).toMatch(/the handler of \/fails threw Error: secret$/);
  expect(logged.stack).toContain('extension-');
  log.mockRestore();
});

test('custom routes are at the root without a prefix', async () => {
  const content = await withRoutes(`{ path: '/chefs/top', handler: () => 'top' }`, { prefix: '' });
  const port = await listen(createListener(content));
  expect((await askServer(port, '/chefs/top')).json()).toBe('top');
  expect((await askServer(port, '/chefs')).status).toBe(200);
  expect((await askServer(port, '/nosuch')).status).toBe(404);
});

test('paths that are neither custom nor content reach the other routes of an app', async () => {
  const content = await withRoutes(`{ path: '/top', handler: () => 'top' }`);
  const app = express();
  app.use('/api', content.router({ next: true }));
  app.get('/api/own', (_request, response) => void response.json('own'));
  const port = await listen(app);
  expect((await askServer(port, '/api/top')).json()).toBe('top');
  expect((await askServer(port, '/api/own')).json()).toBe('own');
});

test('an explanation names the route', async () => {
  const content = await withRoutes(`{ path: '/chefs/:id', handler: () => 1 }`);
  expect(content.explain('/api/chefs/x?y')).toEqual({
    status: 200,
    plan: 'custom route /chefs/:id',
    tree: null,
    rewrites: [],
    page: '',
    cost: null,
    stages: [],
    bytes: 0,
  });
});

test.each([
  [
    "{ path: 'x', handler: () => 1 }",
    'customRoutes[0].path: must be a path below the prefix with a leading slash, is "x"',
  ],
  ["{ path: '/x' }", 'customRoutes[0].handler: is required'],
  ["{ path: '/x', handler: 'x' }", 'customRoutes[0].handler: must be a function, is "x"'],
  [
    "{ method: 'POST', path: '/x', handler: () => 1 }",
    'customRoutes[0].method: must be GET, because Lectern only reads, is "POST"',
  ],
  ["{ path: '/x', handler: () => 1, policies: [] }", 'customRoutes[0].policies: unknown key'],
  [
    "{ path: '/:', handler: () => 1 }",
    'customRoutes[0].path: must be a path pattern of Express 5 (Missing parameter name at index 2: /:), is "/:"',
  ],
  [
    "{ path: '/x', handler: () => 1 }, { path: '/x', handler: () => 2 }",
    'customRoutes[1].path: must differ from customRoutes[0].path',
  ],
])('%s is an error at start', async (routes, message) => {
  const extend = moduleFile(`export default { customRoutes: [${routes}] };`);
  await expect(openGuide({ extend })).rejects.toThrow(`${extend}: ${message}`);
});
