import { afterEach, describe, expect, test } from 'vitest';
import { createListener } from '../../../src/http/app.ts';
import { open } from '../../../src/index.ts';
import { sha256 } from '../../support/guide.ts';
import { closeServers, listen } from '../../support/http.ts';

/** What a path without a route is told. */

afterEach(closeServers);

const type = (singularName: string, pluralName: string) => ({
  info: { singularName, pluralName },
  attributes: { title: { type: 'string' } },
});

const find = (...names: string[]) => names.map((name) => `api::${name}.${name}.find`);

/** Content whose secrets the public may not read. */
const snapshot = () => ({
  contentTypes: [type('article', 'articles'), type('person', 'people'), type('secret', 'secrets')],
  roles: [{ type: 'public', permissions: find('article', 'person') }],
});

const token = 'everything';

async function start(dialect: 'document' | 'strapi') {
  const tokens = [{ name: 'all', type: 'full-access' as const, sha256: sha256(token) }];
  const port = await listen(createListener(await open(snapshot(), { dialect, tokens })));
  return async (path: string, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    expect(response.status).toBe(404);
    return { hint: response.headers.get('X-Lectern-Hint'), body: await response.text(), headers: response.headers };
  };
}

const listed = 'the page at / lists what is served';

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test.each([
    ['/api/article', 'did you mean /api/articles?'],
    ['/api/person', 'did you mean /api/people?'],
    ['/api/Articlse?sort=title', 'did you mean /api/articles?'],
    ['/api/articles/a/b/c', 'did you mean /api/articles?'],
    ['/articles', 'did you mean /api/articles?'],
    ['/v1/articles/7', 'did you mean /api/articles?'],
    ['/api', listed],
    ['/api/', listed],
    ['/nothing/like/it', listed],
    ['/api/%zz', listed],
    ['/api/secret', listed],
    ['/secrets', listed],
  ])('%s: %s', async (path, expected) => {
    const ask = await start(dialect);
    const { hint, body } = await ask(path);
    expect(hint).toBe(expected);
    // the body is that of Strapi where Strapi has such a path
    const isStrapis = dialect === 'strapi' && path.startsWith('/api/');
    const message = isStrapis ? 'Not Found' : `Not Found: ${expected}`;
    expect(JSON.parse(body)).toEqual({
      data: null,
      error: { status: 404, name: 'NotFoundError', message, details: {} },
    });
  });

  test('names a route that only the caller may read', async () => {
    const ask = await start(dialect);
    const { hint } = await ask('/api/secret', { Authorization: `Bearer ${token}` });
    expect(hint).toBe('did you mean /api/secrets?');
  });

  test('shows browsers a page with a link', async () => {
    const ask = await start(dialect);
    const headers = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    for (const path of ['/api/article', '/articles']) {
      const page = await ask(path, headers);
      expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(page.body).toContain(`<code>${path}</code>`);
      expect(page.body).toContain('<a href="/api/articles"><code>/api/articles</code></a>');
    }
    expect((await ask('/%3Cb%3E"<b>', headers)).body).not.toContain('<b>');
    expect((await ask('/api/article', { Accept: '*/*' })).headers.get('Content-Type')).toMatch(/json/);
  });
});
