import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { Trace } from '../../src/engine/trace.ts';
import { createLog } from '../../src/server/log/log.ts';
import { SlowQueries } from '../../src/server/requests/slow-queries.ts';
import { askServer } from '../support/http.ts';
import { openLarge, openThings, samples, stall, start, stopServersAfterEach } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

stopServersAfterEach();

// no lines of slow queries, which a busy machine adds
const requests = { log: { requests: true, slowMilliseconds: 0 } };

describe('the request log', () => {
  test('is off by default', async () => {
    const { port, lines } = await start();
    await askServer(port, '/api/things');
    expect(lines).toEqual([]);
  });

  test('counts the bytes of bodies as sent: none for HEAD and 304, compressed bytes if compressed', async () => {
    const { port, lines } = await start(requests);
    const path = '/api/things?pagination[pageSize]=60';
    const { body, headers } = await askServer(port, path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    const plain = await askServer(port, path);
    await askServer(port, path, { method: 'HEAD' });
    await askServer(port, path, { headers: { 'If-None-Match': plain.headers.etag! } });
    const { body: page } = await askServer(port, '/');
    const { body: metrics } = await askServer(port, '/_metrics');
    await waitFor(() => expect(lines).toHaveLength(6));
    const lengths = [body.length, plain.body.length, 0, 0, page.length, metrics.length];
    expect(lines.map(({ bytes }) => bytes)).toEqual(lengths);
  });

  test('has the request id of a trusted proxy, otherwise a new one', async () => {
    const given = { 'X-Request-Id': 'from-the-proxy' };
    const trusting = await start({ ...requests, trustProxy: ['loopback'] });
    await askServer(trusting.port, '/api/things', { headers: given });
    await askServer(trusting.port, '/_health', { headers: { 'X-Request-Id': 'x'.repeat(129) } });
    await waitFor(() => expect(trusting.lines).toHaveLength(2));
    expect(trusting.lines[0].id).toBe('from-the-proxy');
    expect(trusting.lines[1].id).toMatch(/^[0-9a-f]{8}-1$/);
    const other = await start(requests);
    await askServer(other.port, '/api/things', { headers: given });
    await askServer(other.port, '/api/things', { headers: given });
    await waitFor(() => expect(other.lines).toHaveLength(2));
    const ids = other.lines.map(({ id }) => id);
    expect(new Set([...ids, 'from-the-proxy']).size).toBe(3);
  });

  test('has one line per request with path, status and time, and the query as a digest', async () => {
    const { port, lines } = await start(requests);
    const query = 'filters[title]=a%20secret';
    const headers = { Authorization: 'Bearer all', Cookie: 'a=secret' };
    const { body } = await askServer(port, `/api/things?${query}`, { headers });
    await askServer(port, '/api/things/nobody');
    await askServer(port, '/', { method: 'POST' });
    await waitFor(() => expect(lines).toHaveLength(3));
    const [first, second, third] = lines;
    expect(first).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      pid: process.pid,
      id: expect.stringMatching(/^[0-9a-f]{8}-1$/),
      method: 'GET',
      path: '/api/things',
      query: createHash('sha256').update(query).digest('base64url').slice(0, 12),
      status: 200,
      bytes: body.length,
      milliseconds: expect.any(Number),
      address: '127.0.0.1',
      msg: 'request',
    });
    expect(second).toMatchObject({ path: '/api/things/nobody', status: 404 });
    expect(third).toMatchObject({ method: 'POST', path: '/', status: 405 });
    expect(JSON.stringify(lines)).not.toMatch(/secret|Bearer|all"/);
  });

  test('marks disconnected clients and names clients behind a proxy', async () => {
    const { port, lines } = await start({ ...requests, trustProxy: ['loopback'] }, await openLarge());
    await askServer(port, '/_health', { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    await waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0].address).toBe('203.0.113.7');
    const socket = await stall(port, 5);
    await waitFor(async () => {
      const text = (await askServer(port, '/_metrics')).body.toString();
      expect(samples(text).get('lectern_unsent_bytes')).toBeGreaterThan(0);
    });
    socket.destroy();
    await waitFor(() => expect(lines.some(({ aborted }) => aborted)).toBe(true));
    expect(lines.find(({ aborted }) => aborted)).toMatchObject({ path: '/api/things/large', status: 200 });
    expect(lines.filter(({ path }) => path === '/_metrics').some(({ aborted }) => aborted)).toBe(false);
  });
});

describe('the log of slow queries', () => {
  const explain = () => new Trace(1).explanation(200, 'the plan', 1);

  test('has the plan, which is not computed for each query', async () => {
    const lines: Record<string, any>[] = [];
    const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const explained = vi.fn(explain);
    const slow = new SlowQueries(log, 100);
    expect([slow.isSlow(99), slow.isSlow(100)]).toEqual([false, true]);
    for (let i = 0; i < 5; i++) {
      slow.report({ id: 'a-1', url: `/api/things?${i}`, route: '/api/things', milliseconds: 250.4 }, explained);
    }
    expect(explained).not.toHaveBeenCalled();
    await waitFor(() => expect(lines).toHaveLength(5));
    expect(explained).toHaveBeenCalledOnce();
    expect(lines.find(({ plan }) => plan)).toMatchObject({
      level: 40,
      msg: 'slow query',
      id: 'a-1',
      url: '/api/things?0',
      route: '/api/things',
      milliseconds: 250,
      plan: 'the plan',
    });
  });

  test('is off with a threshold of 0', () => {
    expect(new SlowQueries(createLog({ level: 'debug', format: 'json' }), 0).isSlow(1e9)).toBe(false);
  });

  test('has the plan of the exact query', async () => {
    const content = await openThings();
    const { port, lines } = await start({ log: { slowMilliseconds: 1 } }, content);
    const answer = content.answerPath.bind(content);
    // holds up the answer for longer than the threshold
    vi.spyOn(content, 'answerPath').mockImplementation((...args) => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      return answer(...args);
    });
    const path = '/api/things?filters[title][$contains]=Thing';
    await askServer(port, path);
    await waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ msg: 'slow query', url: path, route: '/api/things' });
    expect(lines[0].plan).toContain('title');
    expect(lines[0].stages.length).toBeGreaterThan(3);
  });
});

test('a missing permission is logged at the level debug and never sent', async () => {
  const { port, lines } = await start({ log: { level: 'debug' } });
  const { status, body } = await askServer(port, '/api/users');
  expect(status).toBe(403);
  expect(body.toString()).toContain('"message":"Forbidden","details":{}');
  const action = 'plugin::users-permissions.user.find';
  expect(lines).toEqual([
    expect.objectContaining({ level: 20, msg: 'missing permission', route: '/api/users', role: 'public', action }),
  ]);
});

test('an unexpected exception is logged, and its message is not sent', async () => {
  const content = await openThings();
  const { port, lines } = await start({}, content);
  vi.spyOn(content, 'answerPath').mockImplementation(() => {
    throw new Error('the secret of the house');
  });
  const { status, body, headers } = await askServer(port, '/api/things');
  expect(status).toBe(500);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(body.toString()).not.toContain('secret');
  expect(lines).toEqual([expect.objectContaining({ level: 50, url: '/api/things', err: expect.anything() })]);
  expect(lines[0].err.message).toBe('the secret of the house');
});

test('secrets passed to the log are redacted', () => {
  const write = vi.fn();
  const log = createLog({ level: 'info', format: 'json' }, { write });
  const headers = { authorization: 'Bearer 2' };
  const config = { jwtSecret: '3', apiTokenSalt: '3' };
  log.info({ authorization: 'Bearer 1', headers, request: { headers }, config }, 'x');
  const line = write.mock.calls[0][0];
  expect(line).not.toMatch(/Bearer|"3"/);
  expect(line.match(/\[redacted\]/g)).toHaveLength(5);
});
