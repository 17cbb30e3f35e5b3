import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { SlowQueries } from '../../src/server/requests/slow-queries.ts';
import { folderOfSnapshots, type RunningOptions, startContents, stopAll } from '../contents/running-contents.ts';
import { blocksOf, commandsOf, pageAt } from '../documents/pages.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { type AskOptions, askServer, closeServers, type HttpAnswer, listen } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';

/** Links that open a preview in a browser: tickets, the cookie, and the pages of browsers that are not let in. */

const admin = { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents', 'changes'] }] };
const change = { upsert: 'api::thing.thing', entry: { documentId: 'one', title: 'edited' } };
const page = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function start({ settings, ...options }: RunningOptions = {}) {
  const running = await startContents({ ...options, settings: { admin, ...settings } });
  const { adminPort, port, put } = running;
  const post = (path: string, body?: unknown, type = 'application/json') =>
    askServer(adminPort, path, {
      method: 'POST',
      headers: { Authorization: 'Bearer admin', ...(body !== undefined && { 'Content-Type': type }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const ask = (path: string, headers: Record<string, string> = {}, options: AskOptions = {}) =>
    askServer(port, path, { headers, ...options });
  const issue = (name: string, body?: unknown) => post(`/_contents/${name}/ticket`, body);
  return {
    ...running,
    post,
    ask,
    issue,
    putPreview: (name = 'pr', options: object = {}) =>
      put(name, { body: { base: 'main', changes: [change], token: 'secret', ...options } }),
    /** Opens a new link and returns the reply. */
    open: async (name: string, body?: unknown, headers: Record<string, string> = {}) => {
      const { url, host } = (await issue(name, body)).json();
      return ask(url, { ...(host !== null && { Host: host }), ...headers });
    },
  };
}

type Running = Awaited<ReturnType<typeof start>>;

/** The cookie of a reply as a browser sends it. */
function cookieOf({ headers }: HttpAnswer): string {
  const [cookie] = headers['set-cookie']!;
  return cookie.split(';', 1)[0];
}

afterAll(async () => {
  await stopAll();
  closeServers();
});

let running: Running;
beforeAll(async () => {
  running = await start({ settings: { uploads: uploadsFolder() } });
  await running.putPreview();
});

function uploadsFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'picture.png'), 'pixels');
  return folder;
}

describe('a link', () => {
  test('opens the preview once: a redirect to its path, with a cookie that reads what the token reads', async () => {
    const { issue, ask } = running;
    const issued = await issue('pr', { path: '/api/things?sort=title' });
    expect(issued.status).toBe(200);
    expect(issued.headers['cache-control']).toBe('no-store');
    const { url, host, expires } = issued.json();
    expect([host, url]).toEqual([null, expect.stringMatching(/^\/pr\/_preview\?ticket=[\w-]{43}$/)]);
    const left = Date.parse(expires) - Date.now();
    expect(left > 50_000 && left <= 60_000).toBe(true);

    const opened = await ask(url, page);
    expect([opened.status, opened.headers.location, opened.body.length]).toEqual([303, '/pr/api/things?sort=title', 0]);
    expect(opened.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'set-cookie': [expect.stringMatching(/^lectern-preview=[\w-]{43}; Path=\/pr\/; HttpOnly; SameSite=Lax$/)],
    });
    const read = await ask('/pr/api/things', { ...page, Cookie: cookieOf(opened) });
    expect([read.status, read.json().data[0].title]).toEqual([200, 'edited']);
    const again = await ask(url);
    expect([again.status, again.json().error]).toEqual([
      403,
      {
        status: 403,
        name: 'ForbiddenError',
        message:
          'This link was opened before, and each link opens once. Get a new link with POST /_contents/pr/ticket on the admin port.',
        details: { ticket: 'used' },
      },
    ]);
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  test('leads to the start page without a body', async () => {
    for (const body of [undefined, {}]) expect((await running.open('pr', body)).headers.location).toBe('/pr/');
  });

  test('is not used up by HEAD, by other methods and by the link of another preview', async () => {
    const { issue, ask, putPreview } = running;
    await putPreview('second');
    const { url } = (await issue('pr')).json();
    expect((await ask(url, {}, { method: 'HEAD' })).status).toBe(405);
    expect((await ask(url, {}, { method: 'POST' })).status).toBe(405);
    expect((await ask(url.replace('/pr/', '/second/'))).json().error.details).toEqual({ ticket: 'unknown' });
    expect((await ask(url)).status).toBe(303);
  });

  test.each([
    ['', 'missing', 'The link is not complete: it has no ticket.'],
    ['?ticket=', 'missing', 'The link is not complete: it has no ticket.'],
    ['?ticket=nothing', 'unknown', 'The ticket of this link is not known here'],
    [`?ticket=${'x'.repeat(43)}`, 'unknown', 'The ticket of this link is not known here'],
  ])(
    'with the query string "%s" is a 403 that says what is wrong, as JSON or as a page',
    async (query, ticket, text) => {
      const answer = await running.ask(`/pr/_preview${query}`);
      const { message, details } = answer.json().error;
      expect([answer.status, details, message.startsWith(text)]).toEqual([403, { ticket }, true]);
      expect(message).toContain('POST /_contents/pr/ticket');
      const shown = await running.ask(`/pr/_preview${query}`, page);
      expect([shown.status, shown.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
      expect(shown.body.toString()).toContain(text);
    },
  );

  test('of a preview that was put again or deleted opens nothing', async () => {
    const { issue, ask, putPreview, delete: remove } = running;
    await putPreview('gone');
    const first = (await issue('gone')).json().url;
    const second = (await issue('gone')).json().url;
    await putPreview('gone');
    expect((await ask(first)).json().error.details).toEqual({ ticket: 'unknown' });
    await remove('gone');
    expect((await ask(second)).status).toBe(404);
  });

  test('of a preview without a token leads there without a cookie', async () => {
    await running.putPreview('open', { token: undefined });
    const { status, headers } = await running.open('open');
    expect([status, headers.location, headers['set-cookie']]).toEqual([303, '/open/', undefined]);
  });

  test('is given for previews only', async () => {
    const { issue, put, post } = running;
    await put('other', { body: { snapshot: 'one.json' } });
    const errorOf = async (name: string) => (await issue(name)).json().error;
    expect(await errorOf('other')).toMatchObject({ status: 409, message: expect.stringContaining('"other" is not') });
    expect(await errorOf('main')).toMatchObject({ status: 409 });
    expect(await errorOf('nobody')).toMatchObject({ status: 404, message: 'There is no content "nobody"' });
    expect((await post('/_contents/pr/ticket', {}, 'text/plain')).status).toBe(415);
  });
});

describe('the path of a link', () => {
  const inside: [path: string, location: string][] = [
    ['/', '/pr/'],
    ['/api/things', '/pr/api/things'],
    ['/api/things?filters[title][$eq]=a%20b&x=//y#part', '/pr/api/things?filters[title][$eq]=a%20b&x=//y#part'],
    ["/api/things?filters[title]='a'", '/pr/api/things?filters[title]=%27a%27'],
    ['/api/th%C3%BCngs', '/pr/api/th%C3%BCngs'],
    ['/.well-known', '/pr/.well-known'],
    ['/a..b/...', '/pr/a..b/...'],
  ];
  test.each(inside)('may be %s', async (path, location) => {
    expect((await running.open('pr', { path })).headers.location).toBe(location);
  });

  test.each([
    '',
    'api',
    '?x',
    '#x',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '\\\\evil.example',
    '/api\\..\\x',
    '/\t/evil.example',
    '\t//evil.example',
    '/\n/evil.example',
    '/api\r\nSet-Cookie: a=b',
    ' /api',
    '/a b',
    '/\0',
    '/ü',
    '/..',
    '/../api',
    '/api/../../x',
    '/./x',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e%2e/api',
    '/%2E%2e/api',
    '/.%2e/api',
    '/api/..%2f..%2fx',
    '/%2f/evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/%5C%5Cevil.example',
    '/%09/evil.example',
    '/%00',
    '/%zz',
    '/%ff',
    `/${'x'.repeat(8192)}`,
    7,
    null,
    ['/'],
  ])('is never %j', async (path) => {
    const { status, json } = await running.issue('pr', { path });
    expect([status, json().error]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringMatching(/^body: path: must be a path inside the preview/) }),
    ]);
  });

  test.each([[[]], ['/'], [{ path: '/', to: '/' }]])('is the only member of a body: %j', async (body) => {
    const { status, json } = await running.issue('pr', body);
    expect([status, json().error.message]).toEqual([
      400,
      'body: must be an object such as { "path": "/api/articles" }',
    ]);
  });
});

describe('the cookie', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = cookieOf(await running.open('pr'));
  });
  const read = (headers: Record<string, string> = {}, path = '/pr/api/things') =>
    running.ask(path, { Cookie: cookie, ...headers });

  test.each([
    '/pr/api/things',
    '/pr/api/things/one',
    '/pr/_schema.json',
    '/pr/_openapi.json',
    '/pr/_explain?url=/api/things',
  ])('opens %s as the token does, and nothing is stored', async (path) => {
    const byCookie = await read({}, path);
    const byToken = await running.ask(path, { Authorization: 'Bearer secret' });
    expect([byCookie.status, byToken.status]).toEqual([200, 200]);
    if (!path.includes('_explain')) expect(byCookie.body).toEqual(byToken.body);
    expect(byCookie.headers['cache-control']).toBe('private, no-store');
    expect(byCookie.headers['set-cookie']).toBeUndefined();
    const vary = byCookie.headers.vary!.split(', ');
    expect(vary).toEqual(expect.arrayContaining(['Authorization', 'Cookie', 'Origin', 'Sec-Fetch-Site']));
  });

  test('shows on the start page what it opens, and the explorer and files of everybody', async () => {
    const shown = await read(page, '/pr/');
    expect([shown.status, shown.body.toString()]).toEqual([200, expect.stringContaining('/pr/api/things')]);
    for (const headers of [{}, page]) {
      expect((await running.ask('/pr/_explorer', headers)).status).toBe(200);
      expect((await running.ask('/pr/uploads/picture.png', headers)).body.toString()).toBe('pixels');
    }
  });

  const own = 'http://localhost';
  const counted: [title: string, headers: Record<string, string>][] = [
    ['a browser that says nothing of the origin', {}],
    ['the same origin', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }],
    ['an entered address', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }],
    [
      'a link on another site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    ],
    [
      'a link on a sister host',
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    ],
    ['its own Origin', { Origin: own, Host: 'localhost' }],
    [
      'its own Origin with a port',
      { Origin: 'http://localhost:8080', Host: 'LOCALHOST:8080', 'Sec-Fetch-Site': 'same-origin' },
    ],
    ['another cookie of the name beside it', { Cookie: 'lectern-preview=x; a=b; COOKIE; lectern-preview=y' }],
  ];
  test.each(counted)('counts for %s', async (_, { Cookie = 'COOKIE', ...headers }) => {
    const { status, json } = await read({ ...headers, Cookie: Cookie.replace('COOKIE', cookie) });
    expect([status, json().data[0].title]).toEqual([200, 'edited']);
  });

  const uncounted: [title: string, headers: Record<string, string>][] = [
    [
      'a script of another site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
    ],
    [
      'a script of a sister host',
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
    ],
    [
      'an image on another site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
    ],
    [
      'a script element on a sister host',
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' },
    ],
    [
      'a frame of another site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
    ],
    [
      'an object of another site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'object' },
    ],
    [
      'an unknown kind of site',
      { 'Sec-Fetch-Site': 'same-planet', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    ],
    ['two kinds of sites', { 'Sec-Fetch-Site': 'same-origin, cross-site' }],
    ['another Origin', { Origin: 'https://evil.example' }],
    ['another Origin that claims to be the same', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }],
    ['the same host with another port', { Origin: 'http://localhost:3000', Host: 'localhost' }],
    ['an opaque Origin', { Origin: 'null' }],
    ['an Origin that is none', { Origin: 'localhost', Host: 'localhost' }],
    ['a wrong cookie', { Cookie: `lectern-preview=${'x'.repeat(43)}` }],
    ['a cookie with the key and more', { Cookie: 'COOKIEx' }],
    ['an empty cookie', { Cookie: 'lectern-preview=' }],
    ['a cookie of another name', { Cookie: 'a=COOKIE' }],
  ];
  test.each(uncounted)('does not count for %s', async (_, { Cookie = 'COOKIE', ...headers }) => {
    const sent = { ...headers, Cookie: Cookie.replace('COOKIE', cookie) };
    for (const path of ['/pr/api/things', '/pr/_schema.json']) {
      expect((await read(sent, path)).body.toString()).not.toMatch(/edited|"title"/);
    }
    expect((await read(sent)).status).toBe(403);
    const asPage = await read({ ...sent, ...page });
    expect([asPage.status, asPage.body.toString()]).toEqual([403, expect.stringContaining('needs a link')]);
  });

  test('reads only, and an Authorization header counts in its place', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await running.ask('/pr/api/things', { Cookie: cookie }, { method })).status).toBe(405);
    }
    expect((await running.ask('/pr/api/things', { Cookie: cookie }, { method: 'HEAD' })).status).toBe(200);
    expect((await read({ Authorization: 'Bearer other' })).status).toBe(401);
  });

  test('opens no other content and no other preview', async () => {
    await running.putPreview('second');
    expect((await read({}, '/second/api/things')).status).toBe(403);
    expect((await read({}, '/api/things')).json().data[0].title).toBe('main');
    expect((await running.ask('/pr/api/things', { Authorization: `Bearer ${cookie.split('=')[1]}` })).status).toBe(401);
  });

  test('stays while the preview is changed, and ends when it is put again or deleted', async () => {
    const { putPreview, open, ask, post, delete: remove } = running;
    await putPreview('short');
    const own = { Cookie: cookieOf(await open('short')) };
    const status = async (path = '/short/api/things') => (await ask(path, own)).status;
    expect(await status()).toBe(200);
    expect((await post('/_changes?content=short', { changes: [change] })).status).toBe(200);
    expect(await status()).toBe(200);
    await putPreview('short');
    expect(await status()).toBe(403);
    await remove('short');
    await putPreview('short');
    expect(await status()).toBe(403);
  });

  test('lasts as long as the lifetime of the preview', async () => {
    await running.putPreview('timed', { lifetime: 3600 });
    const [given] = (await running.open('timed')).headers['set-cookie']!;
    const [, seconds] = /; Max-Age=(\d+);/.exec(given)!;
    expect(Number(seconds)).toBeGreaterThan(3590);
    expect(Number(seconds)).toBeLessThanOrEqual(3600);
  });

  test('shows why a preview does not fit its base, which others do not see', async () => {
    const { putPreview, post, open, ask } = running;
    const added = { upsert: 'api::thing.thing', entry: { documentId: 'two', title: 'two' } };
    await post('/_changes', { changes: [added] });
    const patch = { patch: 'api::thing.thing', documentId: 'two', set: { title: 'patched' } };
    expect((await putPreview('unfit', { changes: [patch] })).status).toBe(201);
    await post('/_changes', { changes: [{ delete: 'api::thing.thing', documentId: 'two' }] });
    const own = { Cookie: cookieOf(await open('unfit')) };
    expect((await ask('/unfit/api/things', own)).json().error).toMatchObject({ status: 409 });
    expect((await ask('/unfit/', own)).json().error).toMatchObject({ status: 409 });
    expect((await ask('/unfit/api/things')).json().error).toMatchObject({ status: 403, message: 'Forbidden' });
  });
});

describe('a browser that is not let in', () => {
  test.each(['/pr/', '/pr/api/things', '/pr/api/nothing', '/pr/_schema.json', '/pr/nothing'])(
    'gets a page at %s, and a program JSON',
    async (path) => {
      const shown = await running.ask(path, page);
      expect([shown.status, shown.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
      expect(shown.headers).toMatchObject({
        'cache-control': 'private, no-store',
        'x-robots-tag': 'noindex',
        'x-frame-options': 'DENY',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
      expect(shown.body.toString()).toMatch(/<h1>This preview needs a link<\/h1>.*POST \/_contents\/pr\/ticket/s);
      expect(shown.body.toString()).not.toMatch(/edited|things/);
      const { headers } = await running.ask(path, { Accept: 'application/json' });
      if (path !== '/pr/') expect(headers['content-type']).toMatch(/^application\/json/);
    },
  );

  test('gets JSON as before from a preview without a token', async () => {
    await running.putPreview('public', { token: undefined });
    const { status, headers } = await running.ask('/public/api/things', page);
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(headers.vary).not.toContain('Cookie');
  });
});

describe('behind a proxy', () => {
  test('a cookie is secure if the trusted proxy says that the connection is encrypted', async () => {
    const cookies = async (trustProxy: string[], protocol: string) => {
      const proxied = await start({ settings: { trustProxy } });
      await proxied.putPreview();
      const { headers } = await proxied.open('pr', {}, { 'X-Forwarded-Proto': protocol });
      return headers['set-cookie']![0].includes('; Secure;');
    };
    expect(await cookies(['loopback'], 'https')).toBe(true);
    expect(await cookies(['loopback'], 'HTTPS, http')).toBe(true);
    expect(await cookies(['loopback'], 'http')).toBe(false);
    expect(await cookies([], 'https')).toBe(false);
  });

  test('an Origin without encryption is another one', async () => {
    const { putPreview, open, ask } = await start({ settings: { trustProxy: ['loopback'] } });
    await putPreview();
    const Cookie = cookieOf(await open('pr'));
    const headers = { Cookie, Host: 'cms.example.org', 'X-Forwarded-Proto': 'https' };
    expect((await ask('/pr/api/things', { ...headers, Origin: 'https://cms.example.org' })).status).toBe(200);
    expect((await ask('/pr/api/things', { ...headers, Origin: 'http://cms.example.org' })).status).toBe(403);
  });
});

test('a link on the host of the preview gives a cookie for this host', async () => {
  const settings = { contents: { folder: folderOfSnapshots(), domain: 'preview.example.org' } };
  const { putPreview, issue, ask } = await start({ settings, folder: settings.contents.folder });
  await putPreview();
  const { url, host } = (await issue('pr', { path: '/api/things' })).json();
  expect([url, host]).toEqual([expect.stringMatching(/^\/_preview\?ticket=/), 'pr.preview.example.org']);
  const opened = await ask(url, { Host: host });
  expect([opened.headers.location, opened.headers['set-cookie']]).toEqual([
    '/api/things',
    [expect.stringMatching(/^lectern-preview=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)],
  ]);
  const headers = { Host: host, Cookie: cookieOf(opened) };
  expect((await ask('/api/things', headers)).json().data[0].title).toBe('edited');
  expect((await ask('/', { ...headers, ...page })).status).toBe(200);
  const elsewhere = await ask('/api/things', { ...headers, Host: 'cms.example.org' });
  expect(elsewhere.json().data[0].title).toBe('main');
  // the same ticket would open it by its path, with a cookie for the path
  const again = (await issue('pr', { path: '/api/things' })).json();
  const byPath = await ask(`/pr${again.url}`);
  expect([byPath.headers.location, byPath.headers['set-cookie']![0]]).toEqual([
    '/pr/api/things',
    expect.stringContaining('; Path=/pr/;'),
  ]);
});

describe('for frames of an admin panel', () => {
  const origins = ['https://admin.example', 'http://localhost:1337'];
  const framed = (sameSite: string) => ({
    uploads: uploadsFolder(),
    contents: { folder: folderOfSnapshots(), cookie: { sameSite, frameAncestors: origins } },
  });
  const frame = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };

  test('a cookie is for frames of other sites, and every reply names who may frame it', async () => {
    const settings = framed('none');
    const { putPreview, open, ask } = await start({ settings, folder: settings.contents.folder });
    await putPreview();
    const opened = await open('pr', {}, { ...page, ...frame });
    expect(opened.headers['set-cookie']![0]).toMatch(
      /^lectern-preview=[\w-]+; Path=\/pr\/; HttpOnly; Secure; SameSite=None; Partitioned$/,
    );
    const Cookie = cookieOf(opened);
    const replies = [
      opened,
      await ask('/pr/', { ...page, ...frame, Cookie }),
      await ask('/pr/api/things', { ...frame, Cookie }),
      await ask('/pr/uploads/picture.png'),
      await ask('/pr/_explorer'),
      await ask('/pr/api/things'),
      await ask('/pr/', page),
      await ask('/pr/_preview?ticket=x', page),
    ];
    expect(replies.map(({ status }) => status)).toEqual([303, 200, 200, 200, 200, 403, 403, 403]);
    for (const { headers } of replies) {
      const policy = headers['content-security-policy'] as string;
      expect(policy.match(/frame-ancestors[^;]*/g)).toEqual([`frame-ancestors ${origins.join(' ')}`]);
      expect(headers['x-frame-options']).toBeUndefined();
    }
    expect(replies[4].headers['content-security-policy']).toContain("script-src 'self'");
    // the site itself may still not be framed
    expect((await ask('/')).headers['x-frame-options']).toBe('DENY');
    // browsers without the headers keep no cookie for frames
    expect((await ask('/pr/api/things', { Cookie })).status).toBe(403);
    const script = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' };
    expect((await ask('/pr/api/things', { ...script, Cookie, Origin: origins[0] })).status).toBe(403);
  });

  test('an admin panel of the same site needs no cookie for other sites', async () => {
    const settings = framed('lax');
    const { putPreview, open, ask } = await start({ settings, folder: settings.contents.folder });
    await putPreview();
    const opened = await open('pr');
    expect(opened.headers['set-cookie']![0]).toMatch(/; SameSite=Lax$/);
    const headers = { ...frame, 'Sec-Fetch-Site': 'same-site', Cookie: cookieOf(opened) };
    expect((await ask('/pr/api/things', headers)).status).toBe(200);
  });
});

test('docs/previews.md shows how to get a link, and how to build its address', async () => {
  const [, section] = pageAt('docs/previews.md').text.split('## Open a preview in a browser\n');
  const page = { path: '', text: section.split('\n## ')[0] };
  const blocks = blocksOf(page);
  const [documented, config] = blocks.filter(({ language }) => language === 'json').map(({ text }) => JSON.parse(text));
  expect(configSchema.parse(config).contents.cookie).toEqual({
    sameSite: 'none',
    frameAncestors: ['https://admin.example.org'],
  });
  const { adminPort, putPreview } = await start();
  await putPreview('spring');
  const [command] = commandsOf(page);
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('1339', String(adminPort))], {
    env: { ...process.env, TOKEN: 'admin' },
  });
  const { url, host, expires } = JSON.parse(stdout);
  const shape = (text: string) => text.replace(/[\w-]{43}/, 'TICKET');
  expect([shape(url), host, new Date(expires).toISOString()]).toEqual([
    shape(documented.url),
    documented.host,
    expires,
  ]);
  const [{ text: code }] = blocks.filter(({ language }) => language === 'js');
  const addressOf = new Function('url', 'host', `${code}\nreturn String(link);`);
  expect(addressOf('/spring/_preview?ticket=a', null)).toBe('https://cms.example.org/spring/_preview?ticket=a');
  expect(addressOf('/_preview?ticket=a', 'spring.b.example')).toBe('https://spring.b.example/_preview?ticket=a');
});

test('a site that may read with credentials reads nothing with the cookie', async () => {
  const cors = { origins: ['https://shop.example'], credentials: true };
  const { putPreview, open, ask } = await start({ settings: { cors } });
  await putPreview();
  const Cookie = cookieOf(await open('pr'));
  const answer = await ask('/pr/api/things', { Cookie, Origin: 'https://shop.example' });
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, 'https://shop.example']);
  expect((await ask('/pr/api/things', { Cookie })).status).toBe(200);
});

test('browsers with the cookie count for their address', async () => {
  const rateLimit = { requests: 4, tokenRequests: 1000, seconds: 3600 };
  const { putPreview, open, ask } = await start({ settings: { rateLimit } });
  await putPreview();
  const Cookie = cookieOf(await open('pr'));
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await ask('/pr/api/things', { Cookie })).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await ask('/pr/api/things', { Authorization: 'Bearer secret' })).status).toBe(200);
});

test('no log line and no other server sees a ticket or the cookie', async () => {
  const isSlow = vi.spyOn(SlowQueries.prototype, 'isSlow').mockReturnValue(true);
  const forwarded: string[] = [];
  const upstreamPort = await listen((request, response) => {
    forwarded.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.end('upstream');
  });
  const folder = folderOfSnapshots();
  mkdirSync(join(folder, 'files'));
  const settings = {
    upstream: `http://127.0.0.1:${upstreamPort}`,
    log: { level: 'debug', requests: true },
    contents: { folder },
  };
  const { putPreview, issue, ask, lines, server } = await start({ settings, folder });
  await putPreview();
  const tickets: string[] = [];
  const next = async () => {
    const { url } = (await issue('pr')).json();
    tickets.push(url.slice(url.indexOf('=') + 1));
    return { url, ticket: tickets.at(-1)! };
  };
  const opened = await ask((await next()).url);
  const Cookie = cookieOf(opened);
  expect((await ask('/pr/api/things', { Cookie })).status).toBe(200);
  const { url, ticket } = await next();
  // used twice, misspelled, in a query that is slow, and in a request that fails
  await ask(url);
  await ask(url);
  await ask(`/pr/_preview/?ticket=${ticket}`);
  await ask(`/pr/api/things?ticket=${ticket}`, { Cookie });
  for (const path of ['/_preview', '/typo/_preview', '/pr2/_preview']) await ask(`${path}?ticket=${ticket}`);
  server.tickets.open = () => {
    throw new Error('broken');
  };
  expect((await ask((await next()).url)).status).toBe(500);
  await waitFor(() => expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(8));
  await waitFor(() => expect(lines.some(({ msg }) => String(msg).startsWith('slow query'))).toBe(true));
  isSlow.mockRestore();
  const text = JSON.stringify(lines);
  expect(text).toContain('"msg":"failed"');
  expect(text).toContain('ticket=[redacted]');
  for (const secret of [...tickets, Cookie.split('=')[1]]) {
    expect(text).not.toContain(secret);
    expect(forwarded.join()).not.toContain(secret);
  }
});
