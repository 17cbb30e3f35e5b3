import { describe, expect, test } from 'vitest';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { start, startEmpty, stopServersAfterEach } from '../support/server.ts';

/** The page at `/_admin` on the admin port, as `npm run build` leaves it in dist/, over HTTP. */

stopServersAfterEach();

const files = [
  ['/_admin', 'text/html'],
  ['/_admin/admin.js', 'text/javascript'],
  ['/_admin/admin.css', 'text/css'],
] as const;
const settings = { adminPort: 0, admin: { tokens: [{ name: 'secret-name', sha256: sha256('all'), rights: ['pin'] }] } };

describe('the page and its files', () => {
  test.each(files)('%s has the headers of a page that may load nothing else', async (path, type) => {
    const { adminPort } = await start(settings);
    const { status, headers, body } = await askServer(adminPort, path);
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(50);
    expect(headers).toMatchObject({
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    });
    expect(headers['set-cookie']).toBe(undefined);
  });

  test('are the same for everybody, also before there is content', async () => {
    const [{ adminPort: empty }, { adminPort }] = [await startEmpty({ adminPort: 0 }), await start(settings)];
    for (const [path] of files) {
      const { body } = await askServer(empty, path);
      for (const headers of [{}, { Authorization: 'Bearer all' }, { Cookie: 'token=all' }] as Record<
        string,
        string
      >[]) {
        expect((await askServer(adminPort, path, { headers })).body).toEqual(body);
      }
    }
  });

  test('are found from the address of the port, and relative to where a proxy puts it', async () => {
    const { adminPort } = await start(settings);
    for (const [from, to] of [
      ['/', '/_admin'],
      ['/_admin/', '/_admin'],
    ]) {
      const { status, headers } = await askServer(adminPort, from);
      expect(status).toBe(302);
      expect(headers.location).not.toMatch(/^\//);
      expect(new URL(headers.location!, `http://a${from}`).pathname).toBe(to);
      expect(new URL(headers.location!, `http://a/ops${from}`).pathname).toBe(`/ops${to}`);
    }
    const page = (await askServer(adminPort, '/_admin')).body.toString();
    const links = Array.from(page.matchAll(/(?:src|href)="([^"]*)"/g), ([, link]) => link);
    expect(links.filter((link) => !link.startsWith('data:'))).toEqual(['_admin/admin.css', '_admin/admin.js']);
  });

  test.each([
    ['POST', '/_admin', 405],
    ['POST', '/', 405],
    ['DELETE', '/_admin/admin.js', 405],
    ['GET', '/_admin/index.html', 404],
    ['GET', '/_admin/..%2fcli.js', 404],
    ['GET', '/_Admin', 404],
  ])('%s %s is a %s', async (method, path, status) => {
    const { adminPort } = await start(settings);
    expect((await askServer(adminPort, path, { method })).status).toBe(status);
  });

  test('are not on the main port', async () => {
    const { port } = await start(settings);
    for (const [path] of files) expect((await askServer(port, path)).status).toBe(404);
  });
});
