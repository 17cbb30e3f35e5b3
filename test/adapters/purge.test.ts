// Cloudflare and Fastly, each with a server on 127.0.0.1 in place of its API.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as cloudflare from '../../src/adapters/cloudflare.ts';
import * as fastly from '../../src/adapters/fastly.ts';
import { eventRequest, secret } from './events.ts';
import { closeServers, startApi, tagsOf } from './stand-in.ts';

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => {
  vi.restoreAllMocks();
  closeServers();
});

const zone = { zone: 'zone-1', token: 'token of Cloudflare' };
const service = { service: 'service-1', token: 'token of Fastly' };
const event = { content: 'main', version: '1-1', tags: tagsOf(3) };

describe('Cloudflare', () => {
  test('gets at most 100 tags in a request', async () => {
    const { api, received } = await startApi();
    await cloudflare.purgeTags(tagsOf(250), { ...zone, api });
    expect(received.map(({ body }) => body.tags.length)).toEqual([100, 100, 50]);
    expect(received.flatMap(({ body }) => body.tags)).toEqual(tagsOf(250));
    const [{ method, path, headers }] = received;
    expect([method, path]).toEqual(['POST', '/zones/zone-1/purge_cache']);
    expect(headers).toMatchObject({ authorization: 'Bearer token of Cloudflare', 'content-type': 'application/json' });
  });

  test('gets other sizes by options', async () => {
    const { api, received } = await startApi();
    await cloudflare.purgeTags(tagsOf(61), { ...zone, api, tagsPerRequest: 30 });
    expect(received.map(({ body }) => body.tags.length)).toEqual([30, 30, 1]);
  });

  test.each([
    ['without tags', null],
    ['with more tags than fit in 25 requests', tagsOf(2501)],
  ])('purges everything for an event %s', async (_, tags) => {
    const { api, received } = await startApi();
    await cloudflare.purgeTags(tags, { ...zone, api });
    expect(received.map(({ body }) => body)).toEqual([{ purge_everything: true }]);
  });

  test('gets nothing for an empty list', async () => {
    const { api, received } = await startApi();
    await cloudflare.purgeTags([], { ...zone, api });
    expect(received).toEqual([]);
  });
});

describe('Fastly', () => {
  test('gets at most 256 keys in a request', async () => {
    const { api, received } = await startApi();
    await fastly.purgeTags(tagsOf(600), { ...service, api });
    expect(received.map(({ body }) => body.surrogate_keys.length)).toEqual([256, 256, 88]);
    expect(received.flatMap(({ body }) => body.surrogate_keys)).toEqual(tagsOf(600));
    const [{ method, path, headers }] = received;
    expect([method, path]).toEqual(['POST', '/service/service-1/purge']);
    expect(headers).toMatchObject({ 'fastly-key': 'token of Fastly', 'content-type': 'application/json' });
    expect(headers['fastly-soft-purge']).toBeUndefined();
  });

  test('purges everything for an event without tags', async () => {
    const { api, received } = await startApi();
    await fastly.purgeTags(null, { ...service, api, soft: true });
    expect(received.map(({ path, body }) => [path, body])).toEqual([['/service/service-1/purge_all', null]]);
    expect(received[0].headers['fastly-soft-purge']).toBeUndefined();
  });

  test('makes replies stale instead with `soft`', async () => {
    const { api, received } = await startApi();
    await fastly.purgeTags(tagsOf(1), { ...service, api, soft: true });
    expect(received[0].headers['fastly-soft-purge']).toBe('1');
  });
});

describe.each([
  ['Cloudflare', (api: string) => cloudflare.createPurgeHandler({ ...zone, api, secret })],
  ['Fastly', (api: string) => fastly.createPurgeHandler({ ...service, api, secret })],
])('the handler for %s', (_, createHandler) => {
  test('answers 204 when all tags are taken', async () => {
    const { api, received } = await startApi();
    expect((await createHandler(api)(eventRequest(event))).status).toBe(204);
    expect(received).toHaveLength(1);
  });

  test('sends nothing for an event with a wrong signature', async () => {
    const { api, received } = await startApi();
    expect((await createHandler(api)(eventRequest(event, null))).status).toBe(401);
    expect(received).toEqual([]);
  });

  test.each([403, 500, 301])('answers 502 after the status %i, and keeps the token to itself', async (status) => {
    const { api, received } = await startApi([{ status }]);
    const response = await createHandler(api)(eventRequest(event));
    const text = await response.text();
    expect([response.status, received.length]).toEqual([502, 1]);
    expect(text).toContain(`is answered with ${status}`);
    expect(text).not.toContain('token of');
  });

  test('answers 502 if nobody listens', async () => {
    expect((await createHandler('http://127.0.0.1:9')(eventRequest(event))).status).toBe(502);
  });

  test('tries again when the CDN wants it to, and at the request that was not taken', async () => {
    const { api, received } = await startApi([{ status: 200 }, { status: 429, retryAfter: '1' }, { status: 200 }]);
    const tags = tagsOf(300);
    expect((await createHandler(api)(eventRequest({ ...event, tags }))).status).toBe(204);
    const [, refused, again] = received;
    expect(again.body).toEqual(refused.body);
    expect(again.at - refused.at).toBeGreaterThanOrEqual(990);
    const distinct = new Set(received.flatMap(({ body }) => body.tags ?? body.surrogate_keys));
    expect(distinct.size).toBe(300);
  });

  test('answers 502 at once if the CDN wants it to wait longer than Lectern does', async () => {
    const { api, received } = await startApi([{ status: 429, retryAfter: '60' }]);
    expect((await createHandler(api)(eventRequest(event))).status).toBe(502);
    expect(received).toHaveLength(1);
  });

  test('waits until a date, too', async () => {
    const retryAfter = new Date(Date.now() + 2000).toUTCString();
    const { api, received } = await startApi([{ status: 429, retryAfter }, { status: 200 }]);
    expect((await createHandler(api)(eventRequest(event))).status).toBe(204);
    expect(received).toHaveLength(2);
  });
});
