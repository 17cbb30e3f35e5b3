import { afterEach, describe, expect, test } from 'vitest';
import { askServer, closeServers } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { openThings, start, stopServersAfterEach } from '../support/server.ts';

/** `/_explain` over HTTP. */

stopServersAfterEach();
afterEach(closeServers);

const of = (url: string) => `/_explain?url=${encodeURIComponent(url)}`;
const all = { Authorization: 'Bearer all' };
const url = '/api/things?filters[title][$contains]=e&sort=title';

describe('how a URL is answered', () => {
  test('is the plan for a token with full access', async () => {
    const content = await openThings();
    const { port } = await start({}, content);
    const { status, headers, json } = await askServer(port, of(url), { headers: all });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-lectern-version': content.version,
      vary: expect.stringContaining('Authorization'),
    });
    const { plan, tree, page, rewrites, cost, bytes } = content.explain(url);
    expect(json()).toMatchObject({ status: 200, plan, tree, page, rewrites, cost, bytes });
    expect(tree!.estimate).toBeGreaterThanOrEqual(tree!.actual!);
    expect(json().stages.map(({ stage }: { stage: string }) => stage)).toEqual(
      content.explain(url).stages.map(({ stage }) => stage),
    );
  });

  test('is the time of each stage for others, and counts nothing', async () => {
    const { port } = await start({}, await openThings());
    const { status, json } = await askServer(port, of(url));
    expect(status).toBe(200);
    expect(Object.keys(json()).sort()).toEqual(['bytes', 'stages', 'status']);
    for (const stage of json().stages) expect(Object.keys(stage).sort()).toEqual(['microseconds', 'stage']);
    expect(json().stages.length).toBeGreaterThan(2);
  });

  test('may be asked with an origin, and for one of the dialects and formats', async () => {
    const content = await openShared('data/demo', { dialect: 'strapi', public: true });
    const { port } = await start({}, content);
    const asked = `https://example.org/api/articles?filters[author][name][$startsWith]=A&populate=*`;
    const { json } = await askServer(port, of(asked));
    const reply = await askServer(port, asked.slice('https://example.org'.length));
    expect(json()).toMatchObject({ status: 200, bytes: reply.body.length });
  });
});

describe('a URL that is not answered', () => {
  test.each([
    ['a rejected query', '/api/things?filters[nope]=1', 400],
    ['a type that the caller may not read', '/api/users', 403],
    ['an unknown route', '/api/nothing', 404],
    ['a path outside of the prefix', '/things', 404],
    ['no path', 'nonsense', 404],
  ])('gets its own error: %s', async (_, wrong, status) => {
    const { port } = await start({}, await openThings());
    const explained = await askServer(port, of(wrong));
    expect(explained.status).toBe(status);
    expect(explained.json().error.status).toBe(status);
    // paths without a route get a hint of their own
    if (status === 404) return;
    const { body } = await askServer(port, wrong);
    expect(explained.body.toString()).toBe(body.toString());
  });

  test('is a 401 with an unknown token', async () => {
    const { port } = await start({}, await openThings());
    expect((await askServer(port, of(url), { headers: { Authorization: 'Bearer guessed' } })).status).toBe(401);
  });

  test('is a 400 without the parameter, and with another one', async () => {
    const { port } = await start({}, await openThings());
    const missing = await askServer(port, '/_explain');
    expect([missing.status, missing.json().error.message]).toEqual([
      400,
      'query: "url" is missing: the URL to explain, percent-encoded',
    ]);
    const other = await askServer(port, `${of(url)}&plan=1`);
    expect([other.status, other.json().error.message]).toEqual([
      400,
      'query: "plan" is unknown or given twice; only "url" is read',
    ]);
  });

  test('exceeds the limits of a query', async () => {
    const { port } = await start({}, await openThings({ budgets: { steps: 1 } as never }));
    const { status } = await askServer(port, of(url), { headers: all });
    expect(status).toBe((await askServer(port, url, { headers: all })).status);
  });
});

test('is switched off by the setting', async () => {
  const { port } = await start({}, await openThings({ explain: false }));
  expect((await askServer(port, of(url), { headers: all })).status).toBe(404);
});
