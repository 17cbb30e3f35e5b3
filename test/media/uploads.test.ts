import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';
import { types } from 'mime-types';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyUploads } from '../../src/http/files/copy-uploads.ts';
import { openUploads } from '../../src/http/files/open-uploads.ts';
import { cachingOf, headersOf } from '../../src/http/files/uploads.ts';
import { ConfigError, type Content, open } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { exchange, start, stopServersAfterEach } from '../support/server.ts';

/** Requests below `/uploads`, served from a folder or redirected. */

stopServersAfterEach();
afterEach(closeServers);

const png = Buffer.from('0123456789');
const snapshot = thingSnapshot({ title: { type: 'string' } }, []);
let outer: string;
let folder: string;

beforeEach(async () => {
  outer = temporaryFolder();
  folder = join(outer, 'uploads');
  await mkdir(join(folder, 'sub', 'deep'), { recursive: true });
  await writeFile(join(outer, 'secret.txt'), 'secret');
  await mkdir(join(outer, 'uploads-private'));
  await writeFile(join(outer, 'uploads-private', 'a.txt'), 'secret');
  for (const name of [
    'cat_0123456789.png',
    'plain.png',
    'drawing_0123456789.svg',
    'page.html',
    'data.xml',
    'sub/deep/a b+c%.png',
    'café.jpg',
    '.hidden.png',
    'unknown',
  ]) {
    await writeFile(join(folder, name), png);
  }
});

async function serveFolder(settings: object = {}) {
  const content = await open(snapshot, { uploads: folder });
  return (await start(settings, content)).port;
}

describe('files of a folder', () => {
  test('have their media type and long cache lifetimes', async () => {
    const port = await serveFolder();
    const { status, headers, body } = await askServer(port, '/uploads/cat_0123456789.png');
    expect([status, body]).toEqual([200, png]);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
    });
    expect(headers.etag).toBeDefined();
    expect(headers['last-modified']).toBeDefined();
    expect(headers['content-security-policy']).toBeUndefined();
    const plain = await askServer(port, '/uploads/plain.png');
    expect(plain.headers['cache-control']).toBe('public, max-age=3600');
    const unknown = await askServer(port, '/uploads/unknown');
    expect(unknown.headers['content-type']).toBe('application/octet-stream');
  });

  test.each([
    [0, 'public, max-age=0, must-revalidate', 'public, max-age=0, must-revalidate'],
    [60, 'public, max-age=60, immutable', 'public, max-age=60'],
    [86400, 'public, max-age=86400, immutable', 'public, max-age=3600'],
  ])('may be cached for uploadsMaxAge: %s', async (uploadsMaxAge, hashed, plain) => {
    const { port } = await start({}, await open(snapshot, { uploads: folder, uploadsMaxAge }));
    const cacheControl = async (path: string) => (await askServer(port, path)).headers['cache-control'];
    expect(await cacheControl('/uploads/cat_0123456789.png')).toBe(hashed);
    expect(await cacheControl('/uploads/plain.png')).toBe(plain);
  });

  test('support range requests', async () => {
    const port = await serveFolder();
    const ask = (range: string) => askServer(port, '/uploads/plain.png', { headers: { Range: range } });
    const part = await ask('bytes=2-4');
    expect([part.status, part.headers['content-range'], part.body.toString()]).toEqual([206, 'bytes 2-4/10', '234']);
    expect((await ask('bytes=-3')).body.toString()).toBe('789');
    const wrong = await ask('bytes=20-30');
    expect([wrong.status, wrong.headers['content-range']]).toEqual([416, 'bytes */10']);
    expect(wrong.json().error.name).toBe('RangeNotSatisfiableError');
    expect(wrong.headers['cache-control']).toBe('no-store');
    expect(wrong.headers.etag).toBeUndefined();
  });

  test('support 304, 412 and HEAD', async () => {
    const port = await serveFolder();
    const { headers } = await askServer(port, '/uploads/plain.png');
    const ask = (name: string, value: string) => askServer(port, '/uploads/plain.png', { headers: { [name]: value } });
    expect((await ask('If-None-Match', headers.etag!)).status).toBe(304);
    expect((await ask('If-Modified-Since', headers['last-modified']!)).status).toBe(304);
    const failed = await ask('If-Match', '"other"');
    expect([failed.status, failed.json().error.name]).toEqual([412, 'PreconditionFailedError']);
    const head = await askServer(port, '/uploads/plain.png', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10', 0]);
  });

  test.each([
    ['page.html', true],
    ['PAGE.HTML', true],
    ['data.xml', true],
    ['feed.rss', true],
    ['feed.Atom', true],
    ['page.xht', true],
    ['style.xslt', true],
    ['mail.mhtml', true],
    ['drawing_0123456789.svg', false],
    ['DRAWING.SVG', false],
    ['notes.txt', false],
    ['code.js', false],
    ['file.unknown', false],
    ['unknown', false],
    ['page.html.', false],
  ])('cannot run scripts: %s', async (name, isDownload) => {
    await writeFile(join(folder, name), png);
    const port = await serveFolder();
    const { headers } = await askServer(port, `/uploads/${name}`);
    const part = await askServer(port, `/uploads/${name}`, { headers: { Range: 'bytes=0-3' } });
    const unchanged = await askServer(port, `/uploads/${name}`, { headers: { 'If-None-Match': headers.etag! } });
    expect([part.status, part.headers['content-type']]).toEqual([206, headers['content-type']]);
    expect(unchanged.status).toBe(304);
    for (const sent of [headers, part.headers, unchanged.headers]) {
      expect(sent['content-security-policy']).toMatch(/^default-src 'none';.*; sandbox$/);
      expect(sent['content-disposition']).toBe(isDownload ? 'attachment' : undefined);
      expect(sent['x-content-type-options']).toBe('nosniff');
    }
  });

  test.each(['CAT.PNG', 'cat.jpeg', 'film.mp4', 'song.mp3', 'type.woff2', 'paper.PDF'])(
    'may be shown as they are: %s',
    async (name) => {
      await writeFile(join(folder, name), png);
      const { headers } = await askServer(await serveFolder(), `/uploads/${name}`);
      expect(headers['content-type']).toMatch(
        /^(image\/(png|jpeg)|video\/mp4|audio\/mpeg|font\/woff2|application\/pdf)$/,
      );
      expect([headers['content-security-policy'], headers['content-disposition']]).toEqual([undefined, undefined]);
    },
  );

  test('are sandboxed unless no browser makes a page of their type, whatever their extension', () => {
    const wrong = Object.entries(types).filter(([extension, type]) => {
      const headers = new Map(headersOf(`/uploads/a.${extension}`, cachingOf(60, false)));
      const isXml = type.endsWith('+xml') || type.endsWith('/xml');
      const isPassive = /^(image|video|audio|font)\//.test(type) || type === 'application/pdf';
      const isSandboxed = headers.has('Content-Security-Policy');
      const isDownload = headers.has('Content-Disposition');
      if (isSandboxed === (isPassive && !isXml)) return true;
      if (type === 'text/html' || isXml) return isDownload === (type === 'image/svg+xml');
      return isPassive && isDownload;
    });
    expect(Object.keys(types).length).toBeGreaterThan(1000);
    expect(wrong).toEqual([]);
  });

  test('may have names with any characters and be in folders', async () => {
    const port = await serveFolder();
    for (const path of ['sub/deep/a%20b+c%25.png', 'caf%C3%A9.jpg', 'sub%2Fdeep/a%20b%2Bc%25.png', 'plain.png?v=2']) {
      expect([path, (await askServer(port, `/uploads/${path}`)).status]).toEqual([path, 200]);
    }
  });

  test('have the configured CORS headers', async () => {
    const port = await serveFolder({ cors: { origins: ['https://a.example'] } });
    const ask = (Origin: string) => askServer(port, '/uploads/plain.png', { headers: { Origin } });
    expect((await ask('https://a.example')).headers['access-control-allow-origin']).toBe('https://a.example');
    const other = await ask('https://b.example');
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    expect(other.headers.vary).toContain('Origin');
  });
});

const paths = [
  '/uploads',
  '/uploads/',
  '/uploads/nothing.png',
  '/uploads/sub',
  '/uploads/sub/',
  '/uploads/plain.png/',
  '/uploads/plain.png/x',
  '/uploads//plain.png',
  '/uploads/../secret.txt',
  '/uploads/%2e%2e/secret.txt',
  '/uploads/%2E%2E%2Fsecret.txt',
  '/uploads/..%2fsecret.txt',
  '/uploads/..%5csecret.txt',
  '/uploads/..\\secret.txt',
  '/uploads/%252e%252e/secret.txt',
  '/uploads/sub/../../secret.txt',
  '/uploads/sub/..%2f..%2fsecret.txt',
  '/uploads/./plain.png',
  '/uploads/../uploads-private/a.txt',
  '/uploads-private/a.txt',
  '/uploads/%2fetc/passwd',
  '/uploads//etc/passwd',
  '/uploads/plain.png%00',
  '/uploads/%00/plain.png',
  '/uploads/plain%',
  '/uploads/%c0%ae%c0%ae/secret.txt',
  '/uploads/.hidden.png',
  '/uploads/%2ehidden.png',
  `/uploads/${'a'.repeat(300)}`,
  `/uploads/${'a/'.repeat(2000)}b`,
];

describe('the uploads route rejects', () => {
  test('paths without a file and paths that lead outside', async () => {
    const port = await serveFolder();
    for (const path of paths) {
      const { status, headers, body } = await askServer(port, path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(JSON.parse(body.toString()).error).toMatchObject({ status: 404, name: 'NotFoundError' });
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  test('a named pipe without opening it', async () => {
    const port = await serveFolder();
    execFileSync('mkfifo', [join(folder, 'pipe.png')]);
    expect((await askServer(port, '/uploads/pipe.png')).status).toBe(404);
  });

  test('a URL with an origin that leads outside', async () => {
    const port = await serveFolder();
    const answer = await exchange(
      port,
      'GET http://x/uploads/../secret.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
  });

  test('links that lead outside, whenever they were made', async () => {
    const port = await serveFolder();
    await symlink(join(outer, 'secret.txt'), join(folder, 'link.txt'));
    await symlink(outer, join(folder, 'out'));
    await symlink(join(outer, 'uploads-private'), join(folder, 'near'));
    await symlink(join(folder, 'plain.png'), join(folder, 'inside.png'));
    await symlink('loop', join(folder, 'loop'));
    for (const path of ['link.txt', 'out/secret.txt', 'near/a.txt', 'loop']) {
      expect([path, (await askServer(port, `/uploads/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await askServer(port, '/uploads/inside.png')).status).toBe(200);
  });

  test('other methods', async () => {
    const port = await serveFolder();
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await askServer(port, '/uploads/plain.png', { method })).status).toBe(405);
    }
    expect((await askServer(port, '/uploads/plain.png', { method: 'OPTIONS' })).status).toBe(204);
  });

  test('everything if uploads are off', async () => {
    const { port } = await start();
    expect((await askServer(port, '/uploads/plain.png')).status).toBe(404);
    const { port: off } = await start({}, await open(snapshot, { uploads: false }));
    expect((await askServer(off, '/uploads/plain.png')).status).toBe(404);
  });
});

test('files are served beside content without a prefix', async () => {
  const { port } = await start({}, await open(snapshot, { uploads: folder, prefix: '' }));
  expect((await askServer(port, '/uploads/plain.png')).body).toEqual(png);
  expect((await askServer(port, '/uploads/nothing.png')).status).toBe(404);
  expect((await askServer(port, '/things')).json().data).toEqual([]);
});

test('the folder `uploads` of a JSON snapshot is served', async () => {
  await mkdir(join(outer, 'content-types'));
  await writeFile(join(outer, 'content-types', 'thing.json'), JSON.stringify(snapshot.contentTypes[0]));
  await writeFile(join(outer, 'uploads', 'notes.md'), 'x');
  await rm(join(outer, 'secret.txt'));
  await rm(join(outer, 'uploads-private'), { recursive: true });
  const { port } = await start({}, await open(outer, { uploads: true }));
  expect((await askServer(port, '/uploads/plain.png')).body).toEqual(png);
});

describe('redirects to an address', () => {
  const serve = async (uploads: string) => (await start({}, await open(snapshot, { uploads }))).port;

  test('keep path and query, and may be cached for an hour', async () => {
    const port = await serve('https://cdn.example.net/media/');
    const { status, headers, body } = await askServer(port, '/uploads/sub/a%20b%3F.png?width=200');
    expect([status, body.length]).toEqual([302, 0]);
    expect(headers).toMatchObject({
      location: 'https://cdn.example.net/media/sub/a%20b%3F.png?width=200',
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
    });
  });

  test.each([
    '/uploads//evil.example',
    '/uploads/%2f%2fevil.example',
    '/uploads/..//evil.example',
    '/uploads/../x.png',
    '/uploads/%5c%5cevil.example',
    '/uploads/.png',
  ])('stay on the configured origin: %s', async (path) => {
    const { status, headers } = await askServer(await serve('https://cdn.example.net'), path);
    expect([status, headers.location]).toEqual([404, undefined]);
  });

  test('never leave the configured origin', async () => {
    const port = await serve('https://cdn.example.net');
    const locationOf = async (path: string) => (await askServer(port, path)).headers.location;
    expect(await locationOf('/uploads/@evil.example')).toBe('https://cdn.example.net/%40evil.example');
    expect(await locationOf('/uploads/https:%2fevil.example')).toBe('https://cdn.example.net/https%3A/evil.example');
    expect(await locationOf('/uploads/a%0d%0aX-Evil:%201')).toBe('https://cdn.example.net/a%0D%0AX-Evil%3A%201');
  });
});

describe('the setting `uploads`', () => {
  test.each([
    ['a folder that is not there', () => join(outer, 'nothing'), /uploads: .*nothing cannot be read/],
    ['a file', () => join(outer, 'secret.txt'), /uploads: .*secret.txt is not a folder/],
    ['another protocol', () => 'ftp://cdn.example.net', /uploads: must be a folder or an http URL/],
    ['an address with a query', () => 'https://cdn.example.net?x=1', /uploads: must be a folder or an http URL/],
    ['an empty text', () => '', /uploads: /],
  ])('rejects %s', async (_what, value, message) => {
    await expect(open(snapshot, { uploads: value() })).rejects.toThrow(ConfigError);
    await expect(open(snapshot, { uploads: value() })).rejects.toThrow(message);
  });
});

describe('in an Express app', () => {
  const mount = async (content: Content) => {
    const app = express();
    app.use('/media', content.uploads());
    app.use((_request, response) => void response.status(404).send('the app'));
    return listen(app);
  };

  test('the router serves files where it is mounted and passes on the rest', async () => {
    const port = await mount(await open(snapshot, { uploads: folder }));
    expect((await askServer(port, '/media/plain.png')).body).toEqual(png);
    expect((await askServer(port, '/media/nothing.png')).body.toString()).toBe('the app');
    expect((await askServer(port, '/media/plain.png', { method: 'POST' })).body.toString()).toBe('the app');
  });

  test('passes everything on if the snapshot has no files', async () => {
    const port = await mount(await open(snapshot, { uploads: true }));
    expect((await askServer(port, '/media/plain.png')).body.toString()).toBe('the app');
  });

  test('throws where the content was opened without uploads', async () => {
    const content = await open(snapshot);
    expect(() => content.uploads()).toThrow('open the content with the option "uploads"');
  });
});

describe('a folder of a snapshot that cannot be listed', () => {
  const names = new Set(['a.png']);
  const copy = (path: string) => copyUploads({ kind: 'folder', path, names }, join(outer, 'copy'), undefined);
  const warningsOf = async (path: string) => {
    const files = { kind: 'folder' as const, path, names };
    return openUploads({ uploads: true, uploadsMaxAge: 0 }, files)!.settled;
  };

  test('the warning of missing files names the folder', async () => {
    const missing = join(outer, 'missing');
    const warning = expect.stringMatching(/^none of the 1 uploaded files is in \S*\/missing\. Set uploads /);
    expect(await copy(missing)).toMatchObject({ files: 0, warnings: [warning] });
    expect(await warningsOf(missing)).toEqual([warning]);
  });

  test('any other error of the system is reported as it is', async () => {
    const file = join(outer, 'secret.txt');
    await expect(copy(file)).rejects.toThrow('ENOTDIR');
    const [warning] = await warningsOf(file);
    expect(warning).toMatch(/^the folder of uploaded files cannot be read: ENOTDIR.*secret\.txt/);
  });
});
