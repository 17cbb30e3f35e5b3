import express from 'express';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createApp, createListener, type ServedContent } from '../../src/http/app.ts';
import { createHandler, createMiddleware, type Responder, type RoutedContent } from '../../src/http/router.ts';
import { open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';

afterEach(closeServers);

/** What the server replies, with its body as text. */
async function ask(port: number, path: string, method = 'GET', headers: Record<string, string> = {}) {
  const answer = await askServer(port, path, { method, headers });
  return { ...answer, body: answer.body.toString() };
}

/** Echoes the request. */
const echo: RoutedContent = {
  hasRoute: (path) => !path.includes('unknown'),
  answerPath: (path, options) => ({
    status: 200,
    headers: { 'X-From': 'engine' },
    body: Buffer.from(JSON.stringify({ path, ...options })),
  }),
};

const mounted = (content: Responder) => express().use('/api', createMiddleware({ ...echo, ...content }));

describe('router', () => {
  test.each([
    ['/api/articles?filters[a][$eq]=1&b=%20', 'articles?filters[a][$eq]=1&b=%20'],
    ['/api', ''],
    ['/api?a=1', '?a=1'],
    ['/api//articles/', '/articles/'],
    ['http://example.org/api/articles?a=/', 'articles?a=/'],
    ['/api/%zz%00', '%zz%00'],
  ])('gives %s to the engine as %j', async (url, path) => {
    const { status, body } = await ask(await listen(mounted(echo)), url);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ path, method: 'GET' });
  });

  test('can be mounted at any path', async () => {
    const app = express().use('/content/v2', createMiddleware(echo));
    const { body } = await ask(await listen(app), '/content/v2/articles?x');
    expect(JSON.parse(body).path).toBe('articles?x');
  });

  test('works as a plain handler below its own path', async () => {
    const { body } = await ask(await listen(createHandler(echo)), '/articles');
    expect(JSON.parse(body).path).toBe('articles');
  });

  test('passes the Authorization header on and leaves other paths to other routes', async () => {
    const app = mounted(echo).use((_request, response) => void response.send('mine'));
    const port = await listen(app);
    expect(JSON.parse((await ask(port, '/api/a', 'GET', { authorization: 'Bearer x' })).body).authorization).toBe(
      'Bearer x',
    );
    expect((await ask(port, '/apis/a')).body).toBe('mine');
  });

  test("runs after the user's own middlewares and routes", async () => {
    const app = express();
    app.get('/api/mine', (_request, response) => void response.send('mine'));
    app.use('/api', createMiddleware(echo));
    const port = await listen(app);
    expect((await ask(port, '/api/mine')).body).toBe('mine');
    expect(JSON.parse((await ask(port, '/api/yours')).body).path).toBe('yours');
  });

  test('sends status, headers and the length in bytes', async () => {
    const body = Buffer.from('{"name":"Zoë 🍰"}');
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-From': 'engine' };
    const reply = { status: 404, headers, body };
    const port = await listen(mounted({ answerPath: async () => reply }));
    const got = await ask(port, '/api/x');
    expect(got.status).toBe(404);
    expect(got.body).toBe(body.toString());
    expect(got.headers['content-length']).toBe(String(body.length));
    expect(got.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(got.headers['x-from']).toBe('engine');

    const head = await ask(port, '/api/x', 'HEAD');
    expect(head.status).toBe(404);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(String(body.length));
  });

  test("a reply's own content type counts", async () => {
    const reply = { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('x') };
    const { headers } = await ask(await listen(mounted({ answerPath: () => reply })), '/api/x');
    expect(headers['content-type']).toBe('text/plain');
  });

  test('calls next for paths that are not content if the option is set', async () => {
    const app = express().use('/api', createMiddleware(echo, { next: true }));
    app.use((request, response) => void response.send(`mine: ${request.method} ${request.url}`));
    const port = await listen(app);
    for (const [method, path] of [
      ['GET', '/api/unknown?a=1'],
      ['POST', '/api/articles'],
      ['OPTIONS', '/api/articles'],
    ]) {
      expect((await ask(port, path, method)).body).toBe(`mine: ${method} ${path}`);
    }
    expect((await ask(port, '/api/unknown', 'HEAD')).headers).not.toHaveProperty('x-from');
    for (const method of ['GET', 'HEAD']) {
      expect((await ask(port, '/api/articles', method)).headers['x-from']).toBe('engine');
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('rejects %s', async (method) => {
    const { status, headers, body } = await ask(await listen(mounted(echo)), '/api/articles', method);
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(JSON.parse(body)).toEqual({
      data: null,
      error: {
        status: 405,
        name: 'MethodNotAllowedError',
        message: `Method ${method} is not allowed: this service only reads`,
        details: {},
      },
    });
  });

  test('answers OPTIONS with the methods that read', async () => {
    const { status, headers, body } = await ask(await listen(mounted(echo)), '/api/articles', 'OPTIONS');
    expect([status, headers.allow, body]).toEqual([204, 'GET, HEAD, OPTIONS', '']);
    expect(headers).not.toHaveProperty('content-length');
  });

  test.each<[string, Responder['answerPath']]>([
    ['thrown', () => throwSecret()],
    ['rejected with', async () => throwSecret()],
    ['met while sending', () => ({ status: 200, headers: { 'bad name': 'x' }, body: Buffer.from('') })],
  ])('answers an exception that is %s with a 500 and prints the message to stderr only', async (_, answerPath) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask(await listen(mounted({ answerPath })), '/api/articles?a=1');
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({
      data: null,
      error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error', details: {} },
    });
    expect(printed).toHaveBeenCalledOnce();
  });
});

function throwSecret(): never {
  throw new Error('the secret of the house');
}

const title = `<b>"Ampers&" 'n' quotes</b>`;

/** Content of one type with one entry, without an engine. */
function fakeContent(overrides: Partial<ServedContent> = {}): ServedContent {
  const content = {
    prefix: '/api',
    answerPath: echo.answerPath,
    router: () => createMiddleware(echo),
    summary: { dialect: 'document' } as ServedContent['summary'],
    schemaOverview: () => [
      { route: 'articles', kind: 'collectionType', attributes: [{ name: 'title', type: 'string' }] },
      { route: 'homepage', kind: 'singleType', attributes: [] },
    ],
    find: () => ({ data: [{ id: 7, documentId: 'a', title }], meta: { pagination: { total: 1234 } } }),
    ...overrides,
  };
  return content as ServedContent;
}

describe('app', () => {
  test('answers content below the prefix without parsing the query', async () => {
    const got = await ask(await listen(createApp(fakeContent())), '/api/articles?a[b]=c');
    expect(JSON.parse(got.body).path).toBe('articles?a[b]=c');
    expect(got.headers).not.toHaveProperty('x-powered-by');
  });

  test('is bypassed for content and answers everything else', async () => {
    const port = await listen(createListener(fakeContent()));
    expect(JSON.parse((await ask(port, '/api/articles?a[b]=c')).body).path).toBe('articles?a[b]=c');
    expect((await ask(port, '/')).headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await ask(port, '/_health')).status).toBe(204);
    expect((await ask(port, '/apiary')).status).toBe(404);
    expect((await ask(port, '/api/articles', 'POST')).status).toBe(405);
  });

  test('lists the content types on the home page, escaped and with links', async () => {
    const got = await ask(await listen(createApp(fakeContent())), '/');
    expect(got.status).toBe(200);
    expect(got.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(got.body).toContain(
      '<a href="/api/articles"><code>/api/articles</code></a></th><td class="number">1,234</td>',
    );
    expect(got.body).toContain('<a href="/api/homepage">');
    expect(got.body).not.toContain('<b>');
    expect(got.body).toContain('&lt;b&gt;&quot;Ampers&amp;&quot; &#39;n&#39; quotes&lt;/b&gt;');
    expect(got.body.match(/<li>/g)).toHaveLength(5);
    // shown with the escapes that the link needs
    expect(got.body).toContain('[$eq]=&lt;b&gt;&quot;Ampers%26&quot;%20&#39;n&#39;%20quotes&lt;/b&gt;');
  });

  test.each(['a%b', '100%', 'a?b', 'a#b', 'größen', 'lone\ud800'])(
    'links to the plural name %j on the home page',
    async (route) => {
      const types = [{ route, kind: 'collectionType' as const, attributes: [{ name: 'title', type: 'string' }] }];
      const { status, body } = await ask(await listen(createApp(fakeContent({ schemaOverview: () => types }))), '/');
      expect(status).toBe(200);
      const [, link] = /<a href="(\/api\/[^"]+)"><code>/.exec(body)!;
      expect(decodeURIComponent(link)).toBe(`/api/${route.toWellFormed()}`);
      expect(body.split(`href="${link}?`).length).toBeGreaterThan(3);
    },
  );

  test('encodes plural names in the links of the home page', async () => {
    const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'a', title: 'A' }]);
    Object.assign(snapshot.contentTypes[0].info!, { pluralName: '50%?#' });
    const port = await listen(createApp(await open(snapshot)));
    const { body } = await ask(port, '/');
    const links = [...body.matchAll(/href="(\/api[^"]+)"/g)].map(([, link]) => link.replaceAll('&amp;', '&'));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await ask(port, link)).status, link).toBe(200);
  });

  test('leaves examples that exceed a budget out of the home page, which is built once', async () => {
    const content = await open('data/demo', { budgets: { nodes: 15, bytes: 4000 } });
    const port = await listen(createApp(content));
    const first = await ask(port, '/');
    expect(first.status).toBe(200);
    expect(first.body).toContain('<a href="/api/articles">');
    expect((await ask(port, '/')).body).toBe(first.body);
  });

  test('serves a home page without scripts and external resources', async () => {
    const { headers, body } = await ask(await listen(createApp(fakeContent())), '/');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(body).not.toMatch(/<script|<link|<img|url\(|@import|https?:|style="/);
  });

  test('states on the home page that nothing is readable without a token', async () => {
    const { body } = await ask(await listen(createApp(fakeContent({ schemaOverview: () => [] }))), '/');
    expect(body).toContain('Nothing is readable without a token');
    expect(body).not.toContain('<li>');
  });

  test('answers the health check of Strapi clients', async () => {
    const { status, headers, body } = await ask(await listen(createApp(fakeContent())), '/_health');
    expect(status).toBe(204);
    expect(headers.strapi).toBe('You are so French!');
    expect(body).toBe('');
  });

  test.each(['/nothing', '/apis', '/_health/x', '/%', '/favicon.ico'])(
    'answers %s with a 404 in JSON',
    async (path) => {
      const { status, body } = await ask(await listen(createApp(fakeContent())), path);
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual({
        data: null,
        error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
      });
    },
  );

  test.each(['/', '/_health', '/nothing', '/api/articles'])('rejects writes at %s', async (path) => {
    const { status, headers } = await ask(await listen(createApp(fakeContent())), path, 'POST');
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('answers an exception with a 500 in JSON without its message', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask(await listen(createApp(fakeContent({ find: () => throwSecret() }))), '/');
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
    expect(JSON.parse(body).error.name).toBe('InternalServerError');
  });
});
