import { afterEach, describe, expect, test, vi } from 'vitest';
import { createListener, type ServedContent } from '../../src/http/app.ts';
import { createMiddleware } from '../../src/http/content-handler.ts';
import { open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { closeServers, listen } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { ask, echo, throwSecret } from './echo.ts';

afterEach(closeServers);

const title = `<b>"Ampers&" 'n' quotes</b>`;

/** A description with what the page reads. */
function described(types: object[]): ReturnType<ServedContent['describeSchema']> {
  return { types } as unknown as ReturnType<ServedContent['describeSchema']>;
}

/** Content of one type with one entry, without an engine. */
function fakeContent(overrides: Partial<ServedContent> = {}): ServedContent {
  const content = {
    prefix: '/api',
    answerPath: echo.answerPath,
    router: () => createMiddleware(echo),
    summary: { dialect: 'document' } as ServedContent['summary'],
    describeSchema: () =>
      described([
        { route: 'articles', kind: 'collectionType', attributes: [{ name: 'title', type: 'string' }] },
        { route: 'homepage', kind: 'singleType', attributes: [] },
      ]),
    find: () => ({ data: [{ id: 7, documentId: 'a', title }], meta: { pagination: { total: 1234 } } }),
    nearestRoute: () => null,
    ...overrides,
  };
  return content as ServedContent;
}

describe('app', () => {
  test('answers content below the prefix without parsing the query', async () => {
    const got = await ask(await listen(createListener(fakeContent())), '/api/articles?a[b]=c');
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
    const got = await ask(await listen(createListener(fakeContent())), '/');
    expect(got.status).toBe(200);
    expect(got.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(got.body).toContain(
      '<a href="/api/articles"><code>/api/articles</code></a></th><td class="number">1,234</td>',
    );
    expect(got.body).toContain('<a href="/api/homepage">');
    expect(got.body).not.toContain('<b>');
    expect(got.body).toContain('&lt;b&gt;&quot;Ampers&amp;&quot; &#39;n&#39; quotes&lt;/b&gt;');
    expect(got.body.match(/<li>/g)).toHaveLength(5);
    for (const [, link, shown] of got.body.matchAll(/<a href="(\/api[^"]*)"><code>(.*?)<\/code>/g))
      expect(shown).toBe(link);
  });

  test.each(['a%b', '100%', 'a?b', 'a#b', 'größen', 'lone\ud800'])(
    'links to the plural name %j on the home page',
    async (route) => {
      const types = [{ route, kind: 'collectionType' as const, attributes: [{ name: 'title', type: 'string' }] }];
      const { status, body } = await ask(
        await listen(createListener(fakeContent({ describeSchema: () => described(types) }))),
        '/',
      );
      expect(status).toBe(200);
      const [, link] = /<a href="(\/api\/[^"]+)"><code>/.exec(body)!;
      expect(decodeURIComponent(link)).toBe(`/api/${route.toWellFormed()}`);
      expect(body.split(`href="${link}?`).length).toBeGreaterThan(3);
    },
  );

  test('encodes plural names in the links of the home page', async () => {
    const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'a', title: 'A' }]);
    Object.assign(snapshot.contentTypes[0].info!, { pluralName: '50%?#' });
    const port = await listen(createListener(await open(snapshot)));
    const { body } = await ask(port, '/');
    const links = [...body.matchAll(/href="(\/api[^"]+)"/g)].map(([, link]) => link.replaceAll('&amp;', '&'));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await ask(port, link)).status, link).toBe(200);
  });

  test('leaves examples that exceed a budget out of the home page, which is built once', async () => {
    const content = await openShared('data/demo', { budgets: { nodes: 15, bytes: 4000 } });
    const port = await listen(createListener(content));
    const first = await ask(port, '/');
    expect(first.status).toBe(200);
    expect(first.body).toContain('<a href="/api/articles">');
    expect((await ask(port, '/')).body).toBe(first.body);
  });

  test('serves a home page without scripts and external resources', async () => {
    const { headers, body } = await ask(await listen(createListener(fakeContent())), '/');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(body).not.toMatch(/<script|<link|<img|url\(|@import|https?:|style="/);
  });

  test('states on the home page that nothing is readable without a token', async () => {
    const { body } = await ask(await listen(createListener(fakeContent({ describeSchema: () => described([]) }))), '/');
    expect(body).toContain('Nothing is readable without a token');
    expect(body).not.toContain('<li>');
  });

  test('answers the health check of Strapi clients', async () => {
    const { status, headers, body } = await ask(await listen(createListener(fakeContent())), '/_health');
    expect(status).toBe(204);
    expect(headers.strapi).toBe('You are so French!');
    expect(body).toBe('');
  });

  test.each(['/nothing', '/apis', '/_health/x', '/%', '/favicon.ico'])(
    'answers %s with a 404 in JSON',
    async (path) => {
      const { status, body } = await ask(await listen(createListener(fakeContent())), path);
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual({
        data: null,
        error: { status: 404, name: 'NotFoundError', message: expect.stringMatching(/^Not Found: /), details: {} },
      });
    },
  );

  test.each(['/', '/_health', '/nothing', '/api/articles'])('rejects writes at %s', async (path) => {
    const { status, headers } = await ask(await listen(createListener(fakeContent())), path, 'POST');
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('answers an exception with a 500 in JSON without its message', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask(await listen(createListener(fakeContent({ find: () => throwSecret() }))), '/');
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
    expect(JSON.parse(body).error.name).toBe('InternalServerError');
  });
});
