import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { ConfigError } from '../../src/model/settings/config.ts';
import { readConfig } from '../../src/model/settings/read-config.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers } from '../support/http.ts';
import { serveContent } from '../support/serve-content.ts';
import { openThings, samples, start, startEmpty, stopServersAfterEach } from '../support/server.ts';
import { closeUpstreamsAfterEach, startInFront, startUpstream } from '../support/upstream.ts';

/** Which requests go to the upstream server. */

stopServersAfterEach();
closeUpstreamsAfterEach();
afterEach(closeServers);

const preflightOf = (method: string) => ({
  Origin: 'https://a.example',
  'Access-Control-Request-Method': method,
});

test('forwards every request that does not read content', async () => {
  const { port } = await startInFront();
  const requests: [string, string, Record<string, string>?][] = [
    ['GET', '/'],
    ['GET', '/admin'],
    ['GET', '/admin/main.js?x=1'],
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/connect/github'],
    ['GET', '/api/users-permissions/permissions'],
    ['GET', '/api/nothing'],
    ['GET', '/api/things/a/b'],
    ['GET', '/api/things/%ff'],
    ['GET', '/uploads/a.png'],
    // every path goes to the same server
    ['GET', '//evil.example/x'],
    ['GET', '/http://evil.example/'],
    ['GET', '/@evil.example'],
    ['HEAD', '/admin'],
    ['POST', '/api/things'],
    ['POST', '/api/auth/local'],
    ['PUT', '/api/things/thing-1'],
    ['PATCH', '/api/things/thing-1'],
    ['DELETE', '/api/things/thing-1'],
    ['POST', '/'],
    ['OPTIONS', '/api/things'],
    ['OPTIONS', '/api/things', preflightOf('POST')],
    ['OPTIONS', '/api/auth/local', preflightOf('POST')],
    ['OPTIONS', '/admin', preflightOf('GET')],
    ['PROPFIND', '/api/things'],
  ];
  for (const [method, path, headers] of requests) {
    const answer = await askServer(port, path, { method, headers });
    expect([method, path, answer.status, answer.headers['x-upstream']]).toEqual([method, path, 200, '1']);
    if (method !== 'HEAD') expect(answer.json()).toMatchObject({ method, url: path });
  }
});

test('answers reads of content and of its own routes itself, even with an error', async () => {
  const { port } = await startInFront();
  const requests: [number, string, string, Record<string, string>?][] = [
    [200, 'GET', '/api/things'],
    [200, 'GET', '/API/things'],
    [200, 'HEAD', '/api/things?sort=id'],
    [200, 'GET', '/api/things/thing-1'],
    [404, 'GET', '/api/things/missing'],
    [400, 'GET', '/api/things?sort=nothing'],
    [401, 'GET', '/api/things', { Authorization: 'Bearer unknown' }],
    [403, 'GET', '/api/users'],
    [403, 'GET', '/api/upload/files'],
    [204, 'OPTIONS', '/api/things', preflightOf('GET')],
    [204, 'OPTIONS', '/api/things/thing-1', preflightOf('HEAD')],
    [204, 'GET', '/_health'],
    [200, 'GET', '/_ready'],
    [200, 'GET', '/_metrics'],
  ];
  for (const [status, method, path, headers] of requests) {
    const answer = await askServer(port, path, { method, headers });
    expect([method, path, answer.status, answer.headers['x-upstream']]).toEqual([method, path, status, undefined]);
  }
});

test('forwards requests with unknown tokens', async () => {
  const { port } = await startInFront();
  const headers = { Authorization: 'Bearer of-the-upstream-server' };
  const answer = await askServer(port, '/api/custom', { headers });
  expect(answer.json().headers.authorization).toBe(headers.Authorization);
});

test('answers its own routes itself if they have a port of their own', async () => {
  const { port } = await startInFront(undefined, { adminPort: 0 });
  expect((await askServer(port, '/_metrics')).headers['x-upstream']).toBeUndefined();
});

test('answers reads with 503 and forwards everything else while content is loading', async () => {
  const upstream = await startUpstream();
  const { port, server } = await startEmpty({ upstream: upstream.address });
  const statusOf = async (path: string, method = 'GET') => (await askServer(port, path, { method })).status;
  expect(await statusOf('/admin')).toBe(200);
  expect(await statusOf('/uploads/a.png')).toBe(200);
  expect(await statusOf('/api/auth/local', 'POST')).toBe(200);
  expect(await statusOf('/api/things')).toBe(503);
  expect(await statusOf('/_ready')).toBe(503);
  serveContent(server, await openThings());
  expect(await statusOf('/api/things')).toBe(200);
});

test('supports a prefix of any length and none', async () => {
  for (const prefix of ['/content/v1', '']) {
    const { port } = await startInFront(undefined, {}, await openThings({ prefix }));
    expect((await askServer(port, `${prefix}/things`)).headers['x-upstream']).toBeUndefined();
    expect((await askServer(port, `${prefix}/nothing`)).headers['x-upstream']).toBe('1');
    expect((await askServer(port, '/api/things')).headers['x-upstream']).toBe('1');
  }
});

test('serves an uploaded file itself if it has it', async () => {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'here.png'), 'here');
  const content = await open(thingSnapshot({}, []), { uploads: folder });
  const { port } = await startInFront(undefined, {}, content);
  expect((await askServer(port, '/uploads/here.png')).body.toString()).toBe('here');
  const missing = await askServer(port, '/uploads/sub/new.png?v=1');
  expect(missing.json().url).toBe('/uploads/sub/new.png?v=1');
  // no header of Lectern's own reply is left
  expect(missing.headers['access-control-allow-origin']).toBeUndefined();
  expect(missing.headers['x-content-type-options']).toBeUndefined();
  expect((await askServer(port, '/uploads/../admin')).json().url).toBe('/uploads/../admin');
});

describe('a forwarded request', () => {
  test('is not counted by the rate limit', async () => {
    const { port } = await startInFront(undefined, { rateLimit: { requests: 2 } });
    for (let i = 0; i < 5; i++) expect((await askServer(port, '/admin')).status).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await askServer(port, '/api/things')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('is counted by status in the metrics, and logged', async () => {
    const { port, lines } = await startInFront((_request, response) => void response.writeHead(418).end(), {
      log: { requests: true },
    });
    await askServer(port, '/admin');
    await askServer(port, '/api/things', { method: 'POST' });
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    const name = 'lectern_http_request_duration_seconds_count';
    expect(found.get(`${name}{route="upstream",status="418"}`)).toBe(2);
    expect(lines.filter(({ status }) => status === 418)).toMatchObject([{ path: '/admin' }, { path: '/api/things' }]);
  });
});

test('forwards nothing without the setting', async () => {
  const { port } = await start();
  expect((await askServer(port, '/admin')).status).toBe(404);
  expect((await askServer(port, '/api/things', { method: 'POST' })).status).toBe(405);
});

describe('the setting `upstream`', () => {
  test.each([
    ['strapi', 'must be an http or https URL'],
    ['ftp://127.0.0.1', 'must be an http or https URL'],
    ['http://u:p@127.0.0.1:1338', 'must be an http or https URL'],
    ['http://127.0.0.1:1338/?x=1', 'must be an http or https URL'],
    ['http://127.0.0.1:1337', 'must not be the address of this server'],
    ['http://localhost:1337/base', 'must not be the address of this server'],
  ])('rejects %s', (upstream, message) => {
    expect(() => readConfig({ flags: { upstream } })).toThrow(ConfigError);
    expect(() => readConfig({ flags: { upstream } })).toThrow(message);
  });

  test('accepts any other server', () => {
    for (const upstream of ['http://127.0.0.1:1338', 'https://cms.example:1337/strapi', 'http://[::1]:1338']) {
      expect(readConfig({ flags: { upstream } }).upstream).toBe(upstream);
    }
  });
});
