import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { serveContent } from '../support/serve-content.ts';
import { exchange, openThings, samples, start, startEmpty, stopServersAfterEach } from '../support/server.ts';

/** /_health, /_ready and /_metrics, on the main port and on one of their own. */

stopServersAfterEach();

describe('before the content is loaded', () => {
  test('the server is alive, is not ready and answers with 503', async () => {
    const { server, port } = await startEmpty();
    const status = async (path: string) => (await askServer(port, path)).status;
    expect(await status('/_health')).toBe(204);
    for (const path of ['/_ready', '/api/things', '/', '/nothing']) {
      const answer = await askServer(port, path);
      expect([path, answer.status]).toEqual([path, 503]);
      expect(answer.json().error).toMatchObject({
        status: 503,
        name: 'ServiceUnavailableError',
        message: 'The snapshot is being loaded',
      });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
    const { body } = await askServer(port, '/_metrics');
    expect(samples(body.toString()).get('lectern_ready')).toBe(0);
    expect(body.toString()).not.toMatch(/^lectern_entries \d/m);

    serveContent(server, await openThings());
    expect(await status('/_health')).toBe(204);
    expect((await askServer(port, '/_ready')).json()).toEqual({ ready: true });
    expect(await status('/api/things')).toBe(200);
    expect(await status('/')).toBe(200);
    expect(await status('/nothing')).toBe(404);
  });
});

test('the content of a running server can be replaced', async () => {
  const { server, port } = await start();
  const before = await askServer(port, '/api/things?filters[title]=New');
  expect(before.json().data).toEqual([]);
  serveContent(server, await openThings({ prefix: '/content' }));
  expect((await askServer(port, '/content/things')).status).toBe(200);
  expect((await askServer(port, '/api/things')).status).toBe(404);
});

describe('/_metrics', () => {
  test('counts requests by route template and status, and names no URL', async () => {
    const { port } = await start();
    const ask = (path: string, headers = {}) => askServer(port, path, { headers });
    const { headers } = await ask('/api/things?sort=id');
    await ask('/api/things?sort=id');
    await ask('/api/things?sort=id', { 'If-None-Match': headers.etag! });
    await ask('/api/things/thing-1');
    await ask('/api/things/thing-2');
    await ask('/api/things/nobody');
    await ask('/api/things?sort=wrong');
    await ask('/api/things', { Authorization: 'Bearer wrong' });
    await ask('/api/secret/path');
    await ask('/secret');
    await askServer(port, '/api/things', { method: 'POST' });
    await askServer(port, '/api/things', { method: 'OPTIONS' });
    await ask('/');
    await exchange(port, 'secret\r\n\r\n');

    const answer = await ask('/_metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0.0.4/);
    const text = answer.body.toString();
    expect(text).not.toMatch(/secret|thing-1|nobody/);
    const found = samples(text);
    const count = (route: string, status: number) =>
      found.get(`lectern_http_request_duration_seconds_count{route="${route}",status="${status}"}`);
    expect(count('/api/things', 200)).toBe(2);
    expect(count('/api/things', 304)).toBe(1);
    expect(count('/api/things', 400)).toBe(1);
    expect(count('/api/things/:documentId', 200)).toBe(2);
    expect(count('/api/things/:documentId', 404)).toBe(1);
    expect(count('other', 401)).toBe(1);
    expect(count('other', 404)).toBe(2);
    expect(count('other', 405)).toBe(1);
    expect(count('other', 204)).toBe(1);
    expect(count('/', 200)).toBe(1);
    expect(found.get('lectern_http_replies_total{status="404"}')).toBe(3);
    expect(found.get('lectern_http_client_errors_total{status="400"}')).toBe(1);
    const buckets = [...found].filter(([name]) =>
      /_bucket\{le=".*",route="\/api\/things\/:documentId",status="200"/.test(name),
    );
    expect(buckets.map(([, value]) => value)).toEqual(buckets.map(([, value]) => value).sort((a, b) => a - b));
    expect(buckets.at(-1)).toEqual([expect.stringContaining('le="+Inf"'), 2]);
  });

  test('has samples of the content, the caches and the process', async () => {
    const content = await openThings();
    const { port } = await start({}, content);
    const path = '/api/things?pagination[pageSize]=60';
    // cached at the second request
    for (let i = 0; i < 4; i++) await askServer(port, path, { headers: { 'Accept-Encoding': 'br' } });
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    expect(found.get('lectern_ready')).toBe(1);
    expect(found.get('lectern_entries')).toBe(content.summary.types.reduce((sum, { entries }) => sum + entries, 0));
    expect(found.get(`lectern_snapshot_info{version="${content.summary.version}",dialect="document"}`)).toBe(1);
    expect(found.get('lectern_load_seconds')).toBeCloseTo(content.summary.loadMilliseconds / 1000, 6);
    expect(found.get('lectern_content_age_seconds{since="loaded"}')).toBeGreaterThan(0);
    expect(found.get('lectern_content_age_seconds{since="loaded"}')).toBeLessThan(60);
    expect(found.has('lectern_content_age_seconds{since="updated"}')).toBe(false);
    const [build] = [...found.keys()].filter((name) => name.startsWith('lectern_build_info'));
    expect(build).toMatch(/version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+",commit="[0-9a-f]*"/);
    expect(found.get('lectern_cache_hits_total{cache="url"}')).toBe(2);
    expect(found.get('lectern_cache_misses_total{cache="url"}')).toBe(2);
    expect(found.get('lectern_cache_hits_total{cache="compressed"}')).toBe(3);
    expect(found.get('lectern_cache_bytes{cache="url"}')).toBeGreaterThan(2000);
    expect(found.get('lectern_cache_bytes{cache="compressed"}')).toBeGreaterThan(200);
    for (const name of [
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'lectern_connections',
      'lectern_unsent_bytes',
      'lectern_log_lost_lines_total',
      'lectern_http_slow_readers_total',
    ]) {
      expect(found.get(name), name).toBeGreaterThanOrEqual(0);
    }
  });

  test('has the age of the newest update and warnings by kind', async () => {
    const hour = 3_600_000;
    const entries = [2 * hour, hour, 3 * hour].map((age, index) => ({
      documentId: `t${index}`,
      updatedAt: new Date(Date.now() - age).toISOString(),
      mentor: index === 0 ? 'nobody' : null,
    }));
    const mentor = { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing' };
    const content = await open(thingSnapshot({ mentor }, entries), { tolerance: 'tolerant' });
    const { port } = await start({}, content);
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    const age = found.get('lectern_content_age_seconds{since="updated"}')!;
    expect(Math.abs(age - 3600)).toBeLessThan(60);
    const [{ kind, count }] = content.summary.warnings;
    expect(found.get(`lectern_snapshot_warnings{kind="${kind}"}`)).toBe(count);
  });

  test('counts content requests by route, however their URL is written', async () => {
    const { port } = await start({}, await openThings());
    for (const path of ['/api/things', '/API/things', 'http://a.example/api/things']) {
      expect((await askServer(port, path)).status).toBe(200);
    }
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    const [, counted] = [...found].find(([name]) => /duration_seconds_count.*route="\/api\/things"/.test(name))!;
    expect(counted).toBe(3);
  });

  test('can be turned off', async () => {
    const { port } = await start({ metrics: false });
    expect((await askServer(port, '/_metrics')).status).toBe(404);
    expect((await askServer(port, '/_ready')).status).toBe(200);
  });
});

test('the main port serves only /_health beside an admin port, which serves its page and no content', async () => {
  const { port, adminPort } = await start({ adminPort: 0 });
  expect(adminPort).not.toBe(port);
  const status = async (at: number, path: string) => (await askServer(at, path)).status;
  for (const path of ['/_ready', '/_metrics']) {
    expect(await status(port, path)).toBe(404);
    expect(await status(adminPort, path)).toBe(200);
  }
  expect(await status(port, '/_health')).toBe(204);
  expect(await status(adminPort, '/_health')).toBe(204);
  expect(await status(port, '/api/things')).toBe(200);
  expect(await status(adminPort, '/api/things')).toBe(404);
  expect(await status(port, '/_admin')).toBe(404);
  expect(await status(adminPort, '/_admin')).toBe(200);
  expect(await status(adminPort, '/')).toBe(302);
  expect((await askServer(adminPort, '/_metrics', { method: 'POST' })).status).toBe(405);
});
