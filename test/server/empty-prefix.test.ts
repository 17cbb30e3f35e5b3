import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { ConfigError, open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { openThings, samples, start, stopServersAfterEach } from '../support/server.ts';

/** `prefix: ""`: content at the root, beside the server's own paths. */

stopServersAfterEach();
afterEach(closeServers);

const noPrefix = { prefix: '' };

describe('an empty prefix', () => {
  test('serves content at the root beside the paths of the server', async () => {
    const { port } = await start(noPrefix, await openThings(noPrefix));
    const status = async (path: string) => (await askServer(port, path)).status;
    expect((await askServer(port, '/things?sort=id')).json().data).toHaveLength(25);
    expect(await status('/things/thing-1')).toBe(200);
    expect(await status('/THINGS/thing%2D1')).toBe(200);
    expect(await status('http://a.example/things')).toBe(200);
    expect(await status('/api/things')).toBe(404);
    for (const path of ['/_health', '/_HEALTH', '/_health?a', '/_health/']) expect(await status(path)).toBe(204);
    expect(await status('/_ready?a')).toBe(200);
    const page = (await askServer(port, '/')).body.toString();
    expect(page).toContain('href="/things"');
    expect((await askServer(port, '/?a')).headers['content-type']).toMatch('text/html');
    expect((await askServer(port, '/things', { method: 'POST' })).status).toBe(405);
    expect((await askServer(port, '/things', { method: 'OPTIONS' })).status).toBe(204);
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    expect(found.get('lectern_http_request_duration_seconds_count{route="/things",status="200"}')).toBe(2);
    expect(found.get('lectern_http_request_duration_seconds_count{route="/_health",status="204"}')).toBe(2);
    expect(found.get('lectern_http_request_duration_seconds_count{route="/",status="200"}')).toBe(2);
  });

  test('keeps the paths of the admin port', async () => {
    const { port, adminPort } = await start({ ...noPrefix, adminPort: 0 }, await openThings(noPrefix));
    expect((await askServer(port, '/_metrics')).status).toBe(404);
    expect((await askServer(adminPort, '/_metrics')).status).toBe(200);
    expect((await askServer(adminPort, '/things')).status).toBe(404);
  });

  test('can be written as a slash, and mounted in an app', async () => {
    const content = await openThings({ prefix: '/' });
    expect(content.prefix).toBe('');
    const port = await listen(express().use('/v2', content.router()).use(content.router()));
    for (const path of ['/things', '/v2/things']) expect((await askServer(port, path)).status).toBe(200);
  });

  test('is rejected if a content type has a path of the server', async () => {
    const snapshot = thingSnapshot({ title: { type: 'text' } }, []);
    const info = { singularName: 'health', pluralName: '_health' };
    const contentTypes = [...snapshot.contentTypes!, { info, attributes: {} }];
    await expect(open({ ...snapshot, contentTypes }, noPrefix)).rejects.toThrow(ConfigError);
    await expect(open({ ...snapshot, contentTypes }, noPrefix)).rejects.toThrow(
      'prefix: must not be empty, because api::health.health would be served at /_health, a path of the server',
    );
    expect((await open({ ...snapshot, contentTypes })).prefix).toBe('/api');
    const file = { info: { singularName: 'upload-log', pluralName: 'uploads' }, attributes: {} };
    const withFiles = { ...snapshot, contentTypes: [...snapshot.contentTypes!, file] };
    expect((await open(withFiles, noPrefix)).hasRoute('uploads')).toBe(true);
    await expect(open(withFiles, { ...noPrefix, uploads: true })).rejects.toThrow('would be served at /uploads');
    const below = open(snapshot, { prefix: '/uploads', uploads: true });
    await expect(below).rejects.toThrow('prefix: must not begin with /uploads');
  });
});

describe('a router with next', () => {
  test('calls next only for unknown routes and other methods', async () => {
    const content = await openThings({ prefix: '' });
    const app = express().use(content.router({ next: true }));
    app.use((request, response) => void response.status(299).send(request.url));
    const port = await listen(app);
    const status = async (path: string, method = 'GET') => {
      const headers = { Authorization: 'Basic mine' };
      return (await askServer(port, path, { method, headers: path === '/login' ? headers : {} })).status;
    };
    expect(await status('/things')).toBe(200);
    expect(await status('/things/none')).toBe(404);
    expect(await status('/things?sort=none')).toBe(400);
    expect(await status('/things', 'HEAD')).toBe(200);
    for (const path of ['/', '/login', '/things/a/b', '/%zz', '/thing%']) expect(await status(path), path).toBe(299);
    for (const method of ['POST', 'OPTIONS', 'DELETE']) expect(await status('/things', method)).toBe(299);
  });
});
