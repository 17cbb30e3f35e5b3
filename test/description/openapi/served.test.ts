import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { almanacExport } from '../../conformance/almanac.ts';
import { startContents, stopAll } from '../../contents/running-contents.ts';
import { askServer, closeServers } from '../../support/http.ts';
import { openShared } from '../../support/open-shared.ts';
import { openThings, start, stopServersAfterEach } from '../../support/server.ts';
import { closeUpstreamsAfterEach, startInFront } from '../../support/upstream.ts';

/** `/_openapi.json` over HTTP. */

stopServersAfterEach();
closeUpstreamsAfterEach();
afterEach(closeServers);
afterAll(stopAll);

const path = '/_openapi.json';
const all = { Authorization: 'Bearer all' };

describe('the document of the caller', () => {
  test('is that of the role public without credentials', async () => {
    const { port } = await start();
    const { status, headers, json } = await askServer(port, path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: expect.stringContaining('Authorization'),
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(Object.keys(json().paths)).toEqual(['/things', '/things/{documentId}']);
    expect(json().servers).toEqual([{ url: '/api' }]);
  });

  test('is private with a token, and a 401 with an unknown one', async () => {
    const { port } = await start();
    const { headers, json } = await askServer(port, path, { headers: all });
    expect(headers['cache-control']).toBe('private, max-age=0, must-revalidate');
    expect(Object.keys(json().paths)).toContain('/users/me');
    const unknown = await askServer(port, path, { headers: { Authorization: 'Bearer guessed' } });
    expect(unknown.status).toBe(401);
    expect(unknown.json().error.name).toBe('UnauthorizedError');
  });

  test('follows the rules of cacheControl', async () => {
    const settings = { cacheControl: [{ value: 'public, max-age=60' }] };
    const { port } = await start({}, await openThings(settings));
    expect((await askServer(port, path)).headers['cache-control']).toBe('public, max-age=60');
  });

  test('has an ETag, which changes with the content that it shows', async () => {
    const content = await openThings();
    const { port } = await start({}, content);
    const { etag } = (await askServer(port, path)).headers;
    const again = await askServer(port, path, { headers: { 'If-None-Match': etag! } });
    expect(again.status).toBe(304);
    content.apply({ changes: [{ upsert: 'api::thing.thing', entry: { documentId: 'thing-0', title: 'Changed' } }] });
    const changed = await askServer(port, path, { headers: { 'If-None-Match': etag! } });
    expect(changed.status).toBe(200);
    expect(changed.body.toString()).toContain('"Changed"');
    content.apply({ changes: [{ upsert: 'api::thing.thing', entry: { documentId: 'thing-9', title: 'Not shown' } }] });
    expect((await askServer(port, path)).headers.etag).toBe(changed.headers.etag);
  });

  test('is compressed', async () => {
    const { port } = await start();
    const { headers, body } = await askServer(port, path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    expect(body.length).toBeLessThan((await askServer(port, path)).body.length / 4);
  });

  test('is answered to HEAD and to no method that writes', async () => {
    const { port } = await start();
    expect(await askServer(port, path, { method: 'HEAD' })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect((await askServer(port, path, { method: 'POST' })).status).toBe(405);
  });
});

describe('where it is served', () => {
  test('is the main port, also beside an admin port', async () => {
    const { port, adminPort } = await start({ adminPort: 0 });
    expect((await askServer(port, path)).status).toBe(200);
    expect((await askServer(adminPort, path)).status).toBe(404);
  });

  test('is nowhere with the setting off', async () => {
    const { port } = await start({}, await openThings({ openapi: false }));
    for (const headers of [{}, all, { Authorization: 'Bearer guessed' }]) {
      expect((await askServer(port, path, { headers })).status).toBe(404);
    }
  });

  test.each(['', '/content/v1'])('is beside the prefix "%s"', async (prefix) => {
    const { port } = await start({ prefix }, await openThings({ prefix }));
    const { status, json } = await askServer(port, path);
    expect(status).toBe(200);
    expect(json().servers).toEqual([{ url: prefix || '/' }]);
    expect((await askServer(port, `${prefix}/things`)).status).toBe(200);
  });

  test('is below the name of each of several contents', async () => {
    const { port } = await startContents({ given: ['main', 'next'] });
    for (const [url, server] of [
      [path, '/api'],
      [`/next${path}`, '/next/api'],
    ]) {
      const { status, json } = await askServer(port, url);
      expect(status).toBe(200);
      expect(json().servers).toEqual([{ url: server }]);
    }
  });

  test('is below the name of a preview, which keeps it private', async () => {
    const { port, put } = await startContents();
    const entry = { documentId: 'one', title: 'changed' };
    await put('pr', { body: { base: 'main', changes: [{ upsert: 'api::thing.thing', entry }] } });
    const { status, headers, body, json } = await askServer(port, `/pr${path}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    expect(json().servers).toEqual([{ url: '/pr/api' }]);
    expect(body.toString()).toContain('"changed"');
    expect((await askServer(port, path)).body.toString()).not.toContain('"changed"');
  });

  test('is Lectern, also in front of a Strapi', async () => {
    const { port } = await startInFront();
    expect((await askServer(port, path)).json().openapi).toBe('3.1.0');
  });
});

test('a document names the format that it describes where that of Strapi 4 is the default', async () => {
  const content = await openShared(almanacExport);
  const { paths } = content.openApi({ role: 'public' });
  const name = 'Strapi-Response-Format';
  const parameters = paths['/articles'].get.parameters as { name: string; required?: boolean }[];
  expect(parameters.find((parameter) => parameter.name === name)).toMatchObject({ in: 'header', required: true });
});
