import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/server/log.ts';
import { SlowQueries } from '../../src/server/slow-queries.ts';
import { askServer } from '../support/http.ts';
import { openLarge, openThings, samples, stall, start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

const requests = { log: { requests: true } };

describe('requests', () => {
  it('are not logged by default', async () => {
    const { port, lines } = await start();
    await askServer(port, '/api/things');
    expect(lines).toEqual([]);
  });

  it('take one line each: what was asked, what came, how long; a query as a digest', async () => {
    const { port, lines } = await start(requests);
    const query = 'filters[title]=a%20secret';
    const headers = { Authorization: 'Bearer all', Cookie: 'a=secret' };
    const { body } = await askServer(port, `/api/things?${query}`, { headers });
    await askServer(port, '/api/things/nobody');
    await askServer(port, '/', { method: 'POST' });
    await vi.waitFor(() => expect(lines).toHaveLength(3));
    const [first, second, third] = lines;
    expect(first).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      pid: process.pid,
      method: 'GET',
      path: '/api/things',
      query: createHash('sha256').update(query).digest('base64url').slice(0, 12),
      status: 200,
      bytes: expect.any(Number),
      milliseconds: expect.any(Number),
      address: '127.0.0.1',
      msg: 'request',
    });
    expect(first.bytes).toBeGreaterThan(body.length);
    expect(second).toMatchObject({ path: '/api/things/nobody', status: 404 });
    expect(third).toMatchObject({ method: 'POST', path: '/', status: 405 });
    expect(JSON.stringify(lines)).not.toMatch(/secret|Bearer|all"/);
  });

  it('tell of clients that left, and of clients behind a proxy', async () => {
    const { port, lines } = await start({ ...requests, trustProxy: ['loopback'] }, await openLarge());
    await askServer(port, '/_health', { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0].address).toBe('203.0.113.7');
    const socket = await stall(port);
    await vi.waitFor(async () => {
      const text = (await askServer(port, '/_metrics')).body.toString();
      expect(samples(text).get('lectern_unsent_bytes')).toBeGreaterThan(0);
    });
    socket.destroy();
    await vi.waitFor(() => expect(lines.some(({ aborted }) => aborted)).toBe(true));
    expect(lines.find(({ aborted }) => aborted)).toMatchObject({ path: '/api/things/large', status: 200 });
    expect(lines.filter(({ path }) => path === '/_metrics').some(({ aborted }) => aborted)).toBe(false);
  });
});

describe('slow queries', () => {
  const explain = () => ({ status: 200, plan: 'the plan', stages: [], bytes: 1 });

  it('are logged with their plan, which is not made again for each', async () => {
    const lines: Record<string, any>[] = [];
    const log = createLog({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const explained = vi.fn(explain);
    const slow = new SlowQueries(log, 100);
    slow.answered('/api/things?fast', '/api/things', 99, explained);
    for (let i = 0; i < 5; i++) slow.answered(`/api/things?${i}`, '/api/things', 250.4, explained);
    expect(explained).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(lines).toHaveLength(5));
    expect(explained).toHaveBeenCalledOnce();
    expect(lines.find(({ plan }) => plan)).toMatchObject({
      level: 40,
      msg: 'slow query',
      url: '/api/things?0',
      route: '/api/things',
      milliseconds: 250,
      plan: 'the plan',
    });
  });

  it('are none with a threshold of 0', () => {
    const write = vi.fn();
    new SlowQueries(createLog({ level: 'debug' }, { write }), 0).answered('/a', '/a', 1e9, explain);
    expect(write).not.toHaveBeenCalled();
  });

  it('come with the plan of the very query', async () => {
    const content = await openThings();
    const { port, lines } = await start({ log: { slowMilliseconds: 1 } }, content);
    const answer = content.answer.bind(content);
    // holds up the answer for longer than the threshold
    vi.spyOn(content, 'answer').mockImplementation((...args) => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      return answer(...args);
    });
    const path = '/api/things?filters[title][$contains]=Thing';
    await askServer(port, path);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ msg: 'slow query', url: path, route: '/api/things' });
    expect(lines[0].plan).toContain('title');
    expect(lines[0].stages.length).toBeGreaterThan(3);
  });
});

it('an exception that nobody expected is logged, and its text is not sent', async () => {
  const content = await openThings();
  const { port, lines } = await start({}, content);
  vi.spyOn(content, 'answer').mockImplementation(() => {
    throw new Error('the secret of the house');
  });
  const { status, body, headers } = await askServer(port, '/api/things');
  expect(status).toBe(500);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(body.toString()).not.toContain('secret');
  expect(lines).toEqual([expect.objectContaining({ level: 50, url: '/api/things', err: expect.anything() })]);
  expect(lines[0].err.message).toBe('the secret of the house');
});

it('secrets are not written, should they be given to the log', () => {
  const write = vi.fn();
  const log = createLog({ level: 'info' }, { write });
  const headers = { authorization: 'Bearer 2' };
  log.info({ authorization: 'Bearer 1', headers, request: { headers }, config: { jwtSecret: '3' } }, 'x');
  const line = write.mock.calls[0][0];
  expect(line).not.toMatch(/Bearer|"3"/);
  expect(line.match(/\[redacted\]/g)).toHaveLength(4);
});
