import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { SchemaReply } from '../../src/description/schema-reply.ts';
import type { Content, JsonSnapshot, OpenOptions } from '../../src/index.ts';
import { startContents, stopAll } from '../contents/running-contents.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { type AskOptions, askServer } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { openThings, start, stopServersAfterEach } from '../support/server.ts';
import { closeUpstreamsAfterEach, startInFront } from '../support/upstream.ts';

/** The explorer as `npm run build` leaves it in dist/, and `/_schema.json`, over HTTP. */

stopServersAfterEach();
closeUpstreamsAfterEach();
afterAll(stopAll);

const files = [
  ['/_explorer', 'text/html'],
  ['/_explorer/explorer.js', 'text/javascript'],
  ['/_explorer/explorer.css', 'text/css'],
] as const;
const paths = [...files.map(([path]) => path), '/_schema.json'];
const all = { Authorization: 'Bearer all' };

/** Returns the sources that the policy of the page allows, by directive. */
async function policyOf(port: number, path = '/_explorer'): Promise<Map<string, string>> {
  const { headers } = await askServer(port, path);
  const directives = String(headers['content-security-policy']).split('; ');
  return new Map(directives.map((each) => [each.split(' ', 1)[0], each.slice(each.indexOf(' ') + 1)]));
}

describe('the page and its files', () => {
  test.each(files)('%s has the headers of a page that may load nothing else', async (path, type) => {
    const { port } = await start({ securityHeaders: false });
    const { status, headers, body } = await askServer(port, path);
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(50);
    expect(headers).toMatchObject({
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; '),
    });
  });

  test.each(files)('%s is revalidated by its ETag, and answered to HEAD and to no method that writes', async (path) => {
    const { port } = await start();
    const { headers, body } = await askServer(port, path);
    const known = await askServer(port, path, { headers: { 'If-None-Match': headers.etag! } });
    expect(known).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    const head = await askServer(port, path, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(head.headers).toMatchObject({ 'content-length': String(body.length), etag: headers.etag });
    expect((await askServer(port, path, { method: 'POST' })).status).toBe(405);
  });

  test('is compressed', async () => {
    const { port } = await start();
    const path = '/_explorer/explorer.js';
    const { headers, body } = await askServer(port, path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(body)).toEqual((await askServer(port, path)).body);
  });

  test('needs no credentials, and is the same for everybody', async () => {
    const { port } = await start();
    const { body } = await askServer(port, '/_explorer');
    for (const headers of [all, { Authorization: 'Bearer guessed' }]) {
      expect((await askServer(port, '/_explorer', { headers })).body).toEqual(body);
    }
  });

  test('may show images from mediaUrl, and from where uploads are redirected to', async () => {
    const settings = { mediaUrl: 'https://media.example/files', uploads: 'https://cms.example:8443/base' };
    const { port } = await start({}, await openThings(settings));
    const policy = await policyOf(port);
    expect(policy.get('img-src')).toBe("'self' data: https://media.example https://cms.example:8443");
    expect(policy.get('connect-src')).toBe("'self'");
  });

  test('leaves out a host that would end the directive', async () => {
    const { port } = await start({}, await openThings({ mediaUrl: 'https://media;script-src' }));
    expect((await policyOf(port)).get('img-src')).toBe("'self' data:");
  });

  test('names its files relative to its address, which has no slash at the end', async () => {
    const { port } = await startContents({ given: ['main', 'next'] });
    for (const path of ['/_explorer', '/next/_explorer']) {
      const page = (await askServer(port, path)).body.toString();
      const links = Array.from(page.matchAll(/(?:src|href)="([^"]*)"/g), ([, link]) => link);
      expect(links).toEqual(expect.arrayContaining(['_explorer/explorer.css', '_explorer/explorer.js']));
      for (const link of links.filter((each) => !each.startsWith('data:'))) {
        expect(link).toMatch(/^_explorer\//);
        expect((await askServer(port, new URL(link, `http://a${path}`).pathname)).status).toBe(200);
      }
      const { status, headers } = await askServer(port, `${path}/?a=b`);
      expect(status).toBe(302);
      expect(new URL(headers.location!, `http://a${path}/`).href).toBe(`http://a${path}?a=b`);
    }
  });

  test.each(['/_explorer/index.html', '/_explorer/other.js', '/_explorer/..%2f..%2fpackage.json', '/_explorer/a/b'])(
    'has no file %s',
    async (path) => {
      const { port } = await start();
      expect((await askServer(port, path)).status).toBe(404);
    },
  );
});

describe('where the explorer is served', () => {
  const statuses = async (port: number, base = '', options: AskOptions = {}) =>
    Promise.all(paths.map(async (path) => (await askServer(port, base + path, options)).status));
  const served = paths.map(() => 200);
  const unknown = paths.map(() => 404);

  test('is the main port, also beside an admin port', async () => {
    const { port, adminPort } = await start({ adminPort: 0 });
    expect(await statuses(port)).toEqual(served);
    expect(await statuses(adminPort)).toEqual(unknown);
  });

  test('is nowhere with the setting off, as any unknown route', async () => {
    const { port } = await start({}, await openThings({ explorer: false }));
    for (const headers of [{}, all, { Authorization: 'Bearer guessed' }]) {
      expect(await statuses(port, '', { headers })).toEqual(unknown);
    }
    const page = await askServer(port, '/_explorer', { headers: { Accept: 'text/html' } });
    expect(page.body.toString()).toContain('<h1>Not found</h1>');
    expect((await askServer(port, '/')).body.toString()).not.toContain('_explorer');
  });

  test.each(['', '/content/v1'])('is beside the prefix "%s"', async (prefix) => {
    const { port } = await start({ prefix }, await openThings({ prefix }));
    expect(await statuses(port)).toEqual(served);
    expect((await askServer(port, '/_schema.json')).json()).toMatchObject({ prefix, name: '' });
  });

  test('is below the name of each of several contents, and at its host', async () => {
    const { port } = await startContents({ given: ['main', 'next'] });
    for (const [base, host, name] of [
      ['', 'localhost', ''],
      ['/main', 'localhost', 'main'],
      ['/next', 'localhost', 'next'],
      ['', 'next.example.org', 'next'],
    ]) {
      const headers = { Host: host };
      expect(await statuses(port, base, { headers })).toEqual(served);
      expect((await askServer(port, `${base}/_schema.json`, { headers })).json()).toMatchObject({ name });
      expect((await askServer(port, `${base}/`, { headers })).body.toString()).toContain(`href="${base}/_explorer"`);
    }
  });

  test('is below the name of a preview, which keeps it private', async () => {
    const { port, put } = await startContents();
    await put('pr', { body: { base: 'main', changes: [] } });
    for (const path of paths) {
      const { status, headers } = await askServer(port, `/pr${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    }
    expect((await askServer(port, '/pr/_schema.json')).json()).toMatchObject({ name: 'pr' });
  });

  test('is Lectern, also in front of a Strapi', async () => {
    const { port } = await startInFront();
    expect(await statuses(port)).toEqual(served);
  });
});

/** Things that everybody may read, and ledgers with the members that only some callers may. */
const snapshot: JsonSnapshot = thingSnapshot(
  {
    title: { type: 'string' },
    note: { type: 'string', private: true },
    ledger: { type: 'relation', relation: 'manyToOne', target: 'api::ledger.ledger' },
  },
  [{ documentId: 'one', title: 'One' }],
);
const ledger = {
  info: { singularName: 'ledger', pluralName: 'ledgers' },
  attributes: { amount: { type: 'integer' as const } },
};
const readsLedgers = ['api::ledger.ledger.find'];
const tokens: OpenOptions['tokens'] = [
  { name: 'all', sha256: sha256('all'), type: 'full-access' },
  { name: 'reader', sha256: sha256('reader'), type: 'read-only' },
  { name: 'ledgers', sha256: sha256('ledgers'), type: 'custom', permissions: readsLedgers },
];

function openLedgers(options: OpenOptions = {}): Promise<Content> {
  const roles = [...snapshot.roles!, { type: 'accountant', permissions: readsLedgers }];
  const contentTypes = [...snapshot.contentTypes!, ledger];
  return openShared({ ...snapshot, contentTypes, roles }, { tokens, ...options });
}

describe('/_schema.json', () => {
  const schemaOf = async (port: number, headers: Record<string, string> = {}) => {
    const answer = await askServer(port, '/_schema.json', { headers });
    expect(answer.status).toBe(200);
    return { ...answer, schema: answer.json() as SchemaReply };
  };
  const roles = ['accountant', 'public'];
  const ofServer = { prefix: '/api', explain: true, name: '', mediaUrl: null };

  test('is what the caller may read, and no cache keeps it', async () => {
    const content = await openLedgers();
    const { port } = await start({}, content);
    const { headers, schema } = await schemaOf(port);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-lectern-version': content.version,
      'access-control-allow-origin': '*',
      vary: expect.stringContaining('X-Lectern-Role'),
    });
    const own = { ...ofServer, hasFullAccess: false, roles: [] };
    expect(schema).toEqual({ ...content.describeSchema({ role: 'public' }), ...own });
    const custom = await schemaOf(port, { Authorization: 'Bearer ledgers' });
    expect(custom.schema).toEqual({ ...content.describeSchema({ role: 'accountant' }), ...own });
    const full = await schemaOf(port, all);
    expect(full.schema).toMatchObject({ ...content.describeSchema(), ...ofServer, hasFullAccess: true });
    expect(full.schema.roles.toSorted()).toEqual(roles);
  });

  test('names nothing that the caller may not read', async () => {
    const { port } = await start({}, await openLedgers());
    const textOf = async (headers: Record<string, string>) => (await schemaOf(port, headers)).body.toString();
    const everybody = await textOf({});
    expect(everybody).toContain('"title"');
    expect(everybody).not.toMatch(/ledger|amount|note|accountant/);
    const custom = await textOf({ Authorization: 'Bearer ledgers' });
    expect(custom).toContain('"amount"');
    expect(custom).not.toMatch(/thing|title|note|accountant/);
    const reader = await textOf({ Authorization: 'Bearer reader' });
    expect(reader).toContain('"amount"');
    expect(reader).not.toMatch(/note|accountant/);
    expect(await textOf(all)).not.toContain('note');
  });

  test('is that of another role for full access, which stays visible', async () => {
    const content = await openLedgers();
    const { port } = await start({}, content);
    const { schema } = await schemaOf(port, { ...all, 'X-Lectern-Role': 'accountant' });
    expect(schema).toMatchObject({ ...content.describeSchema({ role: 'accountant' }), hasFullAccess: true });
    expect(schema.roles.toSorted()).toEqual(roles);
    expect(JSON.stringify(schema.types)).not.toContain('thing');
    const refused = await askServer(port, '/_schema.json', { headers: { 'X-Lectern-Role': 'accountant' } });
    expect(refused.status).toBe(403);
  });

  test('is a 401 with an unknown token', async () => {
    const { port } = await start({}, await openLedgers());
    const { status, json } = await askServer(port, '/_schema.json', { headers: { Authorization: 'Bearer guessed' } });
    expect([status, json().error.name]).toEqual([401, 'UnauthorizedError']);
  });

  test('says whether URLs are explained, and where files are', async () => {
    const { port } = await start({}, await openLedgers({ explain: false, mediaUrl: 'https://media.example/files' }));
    expect((await schemaOf(port)).schema).toMatchObject({ explain: false, mediaUrl: 'https://media.example' });
  });

  test('counts for the rate limit, as the page does', async () => {
    const { port } = await start({ rateLimit: { requests: 2 } }, await openLedgers());
    const statuses = [];
    for (const path of paths) statuses.push((await askServer(port, path)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });
});
