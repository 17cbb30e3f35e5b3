import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config.ts';
import { askServer } from '../support/http.ts';
import { samples, start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

const path = '/api/things?fields=title&pagination[pageSize]=1';

async function statuses(port: number, times: number, headers: Record<string, string> = {}, asked = path) {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await askServer(port, asked, { headers })).status);
  return seen;
}

const limited = { rateLimit: { requests: 3, seconds: 600 } };

describe('without a setting', () => {
  it('nobody is limited', async () => {
    const { port } = await start();
    const { headers } = await askServer(port, path);
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    expect(new Set(await statuses(port, 50))).toEqual(new Set([200]));
  });
});

describe('with a limit', () => {
  it('requests above it are a 429 that says when to come again', async () => {
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
    // whoever runs the server is not shut out
    expect(await statuses(port, 1, {}, '/_health')).toEqual([204]);
    expect(await statuses(port, 1, {}, '/_ready')).toEqual([200]);
    expect(await statuses(port, 1, {}, '/')).toEqual([200]);
    expect(await statuses(port, 1, {}, '/nothing')).toEqual([429]);
    const counted = samples((await askServer(port, '/_metrics')).body.toString());
    expect(counted.get('lectern_http_replies_total{status="429"}')).toBe(4);
  });

  it('replies say what is left', async () => {
    const { port } = await start(limited);
    const { headers } = await askServer(port, path);
    expect(headers.ratelimit).toMatch(/^limit=3, remaining=2, reset=\d+$/);
    expect(headers.etag).toBeDefined();
    expect(headers.vary).toBe('Authorization, Accept-Encoding, Strapi-Response-Format');
  });

  it('a known token counts for itself, one that is guessed for the address', async () => {
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

  it('that is not trusted, X-Forwarded-For says nothing', async () => {
    const { port } = await start(limited);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) seen.push(...(await statuses(port, 1, from(`198.51.100.${i}`))));
    expect(seen).toEqual([200, 200, 200, 429, 429]);
  });

  it('that is trusted, each client counts for itself, and cannot name itself another', async () => {
    const { port } = await start({ ...limited, trustProxy: ['loopback'] });
    expect(await statuses(port, 4, from('198.51.100.1'))).toEqual([200, 200, 200, 429]);
    expect(await statuses(port, 1, from('198.51.100.2'))).toEqual([200]);
    // the proxy adds what it sees at the end; what stands before is the client's own invention
    expect(await statuses(port, 1, from('203.0.113.9, 198.51.100.1'))).toEqual([429]);
  });

  it('IPv6 addresses of one network are one', async () => {
    const { port } = await start({ ...limited, trustProxy: ['127.0.0.1'] });
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) seen.push(...(await statuses(port, 1, from(`2001:db8:1:1::${i}`))));
    expect(seen).toEqual([200, 200, 200, 429]);
    expect(await statuses(port, 1, from('2001:db8:2::1'))).toEqual([200]);
  });

  it('refuses to trust what is no address', () => {
    expect(() => configSchema.parse({ trustProxy: ['proxy.example'] })).toThrow('must be an address');
    expect(() => configSchema.parse({ trustProxy: ['10.0.0.0/8', '::1', 'uniquelocal'] })).not.toThrow();
  });
});
