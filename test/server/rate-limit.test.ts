import { describe, expect, test, vi } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { askServer } from '../support/http.ts';
import { samples, start, startEmpty, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

const path = '/api/things?fields=title&pagination[pageSize]=1';

async function statuses(port: number, times: number, headers: Record<string, string> = {}, asked = path) {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await askServer(port, asked, { headers })).status);
  return seen;
}

const limited = { rateLimit: { requests: 3, seconds: 600 } };

describe('without a rate limit', () => {
  test('no client is limited', async () => {
    const { port } = await start();
    const { headers } = await askServer(port, path);
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    expect(new Set(await statuses(port, 50))).toEqual(new Set([200]));
  });

  test('no memory is allocated for counters', async () => {
    const allocate = vi.spyOn(globalThis, 'SharedArrayBuffer');
    await startEmpty();
    expect(allocate).not.toHaveBeenCalled();
    await startEmpty(limited);
    expect(allocate).toHaveBeenCalledOnce();
    allocate.mockRestore();
  });
});

describe('with a rate limit', () => {
  test('requests above it get a 429 with Retry-After', async () => {
    const { port } = await start(limited);
    expect(await statuses(port, 5)).toEqual([200, 200, 200, 429, 429]);
    const refused = await askServer(port, path, { headers: { Origin: 'https://a.example' } });
    expect(refused.json()).toEqual({
      data: null,
      error: {
        status: 429,
        name: 'RateLimitError',
        message: 'Too many requests, please try again later.',
        details: {},
      },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(500);
    expect(refused.headers['ratelimit-policy']).toBe('3;w=600');
    expect(refused.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
    // health checks and metrics are not limited
    expect(await statuses(port, 1, {}, '/_health')).toEqual([204]);
    expect(await statuses(port, 1, {}, '/_ready')).toEqual([200]);
    expect(await statuses(port, 1, {}, '/')).toEqual([200]);
    expect(await statuses(port, 1, {}, '/nothing')).toEqual([429]);
    const counted = samples((await askServer(port, '/_metrics')).body.toString());
    expect(counted.get('lectern_http_replies_total{status="429"}')).toBe(4);
  });

  test('replies state the remaining requests', async () => {
    const { port } = await start(limited);
    const { headers } = await askServer(port, path);
    expect(headers.ratelimit).toMatch(/^limit=3, remaining=2, reset=\d+$/);
    expect(headers.etag).toBeDefined();
    expect(headers.vary).toBe(
      'Authorization, Accept-Encoding, Strapi-Response-Format, X-Lectern-At-Least, X-Lectern-Role',
    );
  });

  test('a known token is counted by itself, a guessed token by address', async () => {
    const { port } = await start({ rateLimit: { requests: 2, tokenRequests: 4, seconds: 600 } });
    expect(await statuses(port, 5, { Authorization: 'Bearer all' })).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses(port, 1, { Authorization: 'Bearer guess1' })).toEqual([401]);
    expect(await statuses(port, 1, { Authorization: 'Bearer guess2' })).toEqual([401]);
    expect(await statuses(port, 1, { Authorization: 'Bearer guess3' })).toEqual([429]);
    expect(await statuses(port, 1)).toEqual([429]);
  });
});

describe('behind a proxy', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  test('X-Forwarded-For of an untrusted proxy is ignored', async () => {
    const { port } = await start(limited);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) seen.push(...(await statuses(port, 1, from(`198.51.100.${i}`))));
    expect(seen).toEqual([200, 200, 200, 429, 429]);
  });

  test('each client of a trusted proxy is counted by itself and cannot forge its address', async () => {
    const { port } = await start({ ...limited, trustProxy: ['loopback'] });
    expect(await statuses(port, 4, from('198.51.100.1'))).toEqual([200, 200, 200, 429]);
    expect(await statuses(port, 1, from('198.51.100.2'))).toEqual([200]);
    // the proxy appends the address that it sees; the client may have invented the others
    expect(await statuses(port, 1, from('203.0.113.9, 198.51.100.1'))).toEqual([429]);
  });

  test('IPv6 addresses of one network are counted together', async () => {
    const { port } = await start({ ...limited, trustProxy: ['127.0.0.1'] });
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) seen.push(...(await statuses(port, 1, from(`2001:db8:1:1::${i}`))));
    expect(seen).toEqual([200, 200, 200, 429]);
    expect(await statuses(port, 1, from('2001:db8:2::1'))).toEqual([200]);
  });

  test.each([
    ['IPv4', '198.51.100.1', (n: number) => `198.51.100.1:${40_000 + n}`],
    ['IPv6 in brackets', '2001:db8::1', (n: number) => `[2001:db8::1]:${40_000 + n}`],
    ['IPv4 written as IPv6', '198.51.100.1', (n: number) => `[::ffff:198.51.100.1]:${40_000 + n}`],
  ])('ports of %s addresses are ignored', async (_form, bare, withPort) => {
    const { port } = await start({ ...limited, trustProxy: ['loopback'] });
    const seen: number[] = [];
    for (let i = 0; i < 3; i++) seen.push(...(await statuses(port, 1, from(withPort(i)))));
    seen.push(...(await statuses(port, 1, from(bare))));
    expect(seen).toEqual([200, 200, 200, 429]);
    expect(await statuses(port, 1, from('203.0.113.1:40000'))).toEqual([200]);
  });

  test('a trusted proxy may send addresses with ports', async () => {
    const { port } = await start({ ...limited, trustProxy: ['loopback', '10.0.0.0/8'] });
    for (let i = 0; i < 3; i++)
      expect(await statuses(port, 1, from(`198.51.100.1:${i}, 10.0.0.1:${i}`))).toEqual([200]);
    expect(await statuses(port, 1, from('198.51.100.1, 10.0.0.2'))).toEqual([429]);
    expect(await statuses(port, 1, from('198.51.100.2, 10.0.0.2'))).toEqual([200]);
  });

  test('an invalid address is counted for the proxy that sent it', async () => {
    const { port } = await start({ ...limited, trustProxy: ['loopback'] });
    const invented = ['unknown', '_hidden', '[198.51.100.1]', '198.51.100.1:port', '0198.051.100.001', '127.1'];
    const seen: number[] = [];
    for (const text of invented) seen.push(...(await statuses(port, 1, from(text))));
    expect(seen).toEqual([200, 200, 200, 429, 429, 429]);
    expect(await statuses(port, 1, from('198.51.100.1'))).toEqual([200]);
  });

  test('an invalid address is rejected in trustProxy', () => {
    expect(() => configSchema.parse({ trustProxy: ['proxy.example'] })).toThrow('must be an address');
    expect(() => configSchema.parse({ trustProxy: ['10.0.0.0/8', '::1', 'uniquelocal'] })).not.toThrow();
  });
});
